#include "ompdm/error.h"
#include "ompdm/report.h"
#include "report/json.h"
#include "report/text.h"

namespace ompdm::report {

std::string render(std::span<const analysis::Analysis> analyses, Format format,
                   const Layout& layout) {
  if (analyses.empty()) throw Error("no trace to report on", Error::Kind::kUsage);
  const SourceNames names(analyses);
  switch (format) {
    case Format::kJson:
      return json_text(analyses, names);
    case Format::kCsv:
      return csv_report(analyses, names, layout.section);
    case Format::kMarkdown:
      return markdown_report(analyses, names, layout);
    case Format::kText:
      break;
  }
  Layout usable = layout;
  usable.width = layout.width < 60 ? 60 : layout.width;
  return text_report(analyses, names, usable);
}

}  // namespace ompdm::report
