// A table for people: columns as wide as their longest cell, two blanks between them.
//
// The last column is not padded. Cells are shown in one line; widths count UTF-8 code points. A
// value; one thread.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace escapement::apps {

class Table {
 public:
  explicit Table(std::vector<std::string> head);

  void add(std::vector<std::string> row);
  void print(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace escapement::apps
