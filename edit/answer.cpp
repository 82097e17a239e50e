#include "answer.h"

#include <nlohmann/json.hpp>

namespace ompdm::edit {

void write_answer(const Answer& answer, std::ostream& out) {
  nlohmann::ordered_json json = {{"schema", "ompdm.edit/1"},
                                 {"errors", answer.errors},
                                 {"plans", nlohmann::ordered_json::array()}};
  for (const Plan& plan : answer.plans) {
    nlohmann::ordered_json one = {{"number", plan.number}, {"found", plan.found}};
    if (!plan.refused.empty()) {
      one["refused"] = {
          {"why", plan.refused}, {"file", plan.in_the_way.file}, {"line", plan.in_the_way.line}};
    }
    one["updates"] = plan.updates;
    one["returned"] = plan.returned;
    one["left_out"] = nlohmann::ordered_json::array();
    for (const LeftOut& each : plan.left_out) {
      one["left_out"].push_back({{"expression", each.item.expression},
                                 {"why", each.why},
                                 {"file", each.in_the_way.file},
                                 {"line", each.in_the_way.line}});
    }
    one["replacements"] = nlohmann::ordered_json::array();
    for (const Replacement& each : plan.replacements) {
      one["replacements"].push_back({{"file", each.file},
                                     {"offset", each.offset},
                                     {"length", each.length},
                                     {"text", each.text},
                                     {"behind", each.behind}});
    }
    json["plans"].push_back(std::move(one));
  }
  // Sources need not be UTF-8.
  out << json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace ompdm::edit
