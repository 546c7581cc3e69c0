#include "table.h"

#include <algorithm>
#include <ostream>

#include "console.h"
#include "escapement/base/check.h"

namespace escapement::apps {
namespace {

std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }

void Table::add(std::vector<std::string> row) {
  ESCAPEMENT_CHECK(row.size() == rows_.front().size());
  for (std::string& cell : row) cell = cell.empty() ? "-" : one_line(cell);
  rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out << row[i] << std::string(widths[i] - width_of(row[i]) + 2, ' ');
    }
    out << row.back() << '\n';
  }
}

}  // namespace escapement::apps
