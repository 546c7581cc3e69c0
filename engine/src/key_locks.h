// KeyLocks: at most one unresolved command per timer key; the rest queue behind it.
//
// A batch takes all its keys or waits for the first one that is taken; nobody holds some keys while
// waiting for others, so there is no deadlock. FIFO per key. Single thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace escapement::engine {

class KeyLocks {
 public:
  using Work = std::function<void()>;

  // Runs `work` once all keys are taken; it must end in `unlock` with the same keys.
  void lock(const std::string& app, std::vector<std::string> keys, Work work);
  void unlock(const std::string& app, const std::vector<std::string>& keys);
  bool empty() const { return waiting_.empty(); }

 private:
  std::map<std::pair<std::string, std::string>, std::deque<Work>> waiting_;  // by taken key
};

}  // namespace escapement::engine
