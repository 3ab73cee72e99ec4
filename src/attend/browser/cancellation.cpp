#include "attend/browser/cancellation.h"

#include <memory>

#include "attend/api/c/call.h"

attend_cancellation* attend_cancellation_asking(std::int32_t (*asked)(void)) {
  return attend::made_by(nullptr, [&] {
    attend::required(asked, "asked");
    auto cancellation = std::make_unique<attend_cancellation>();
    cancellation->asked_elsewhere = [asked] { return asked() != 0; };
    return cancellation;
  });
}
