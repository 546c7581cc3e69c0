// The numbered SQL files of src/migrations, carried by the program.
//
// The file at index n takes a database from version n to version n + 1. They only go forward, are
// never edited once released, and each runs in a transaction of its own. Constant; any thread.
#pragma once

#include <vector>

namespace escapement::stores {

struct Migration {
  const char* name;  // "0001_init.sql"
  const char* sql;
};

const std::vector<Migration>& migrations();

}  // namespace escapement::stores
