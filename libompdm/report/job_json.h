// A job's report for programs, `ompdm.job/1`. Inside the report library only.
#pragma once

#include <string>

#include "ompdm/summary.h"

namespace ompdm::report {

std::string job_json(const summary::Summary& job);

}  // namespace ompdm::report
