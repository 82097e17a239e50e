#include "trace/json_fields.h"

#include <cmath>

namespace ompdm::json_fields {

const Json& expect_object(const Json& value, const char* what) {
  if (!value.is_object()) refuse_value(what);
  return value;
}

void convert(const Json& value, const char* key, bool& out) {
  if (!value.is_boolean()) refuse_value(key);
  out = value.get<bool>();
}

void convert(const Json& value, const char* key, double& out) {
  // JSON has no other number: the writer gives null for them.
  if (value.is_null()) {
    out = std::nan("");
  } else if (value.is_number()) {
    out = value.get<double>();
  } else {
    refuse_value(key);
  }
}

void convert(const Json& value, const char* key, std::string& out) {
  if (!value.is_string()) refuse_value(key);
  out = from_utf8(value.get_ref<const std::string&>());
}

void get_texts(const Json& object, const char* key, std::vector<std::string>& out) {
  for_each(object, key, [&](const Json& item) { convert(item, key, out.emplace_back()); });
}

}  // namespace ompdm::json_fields
