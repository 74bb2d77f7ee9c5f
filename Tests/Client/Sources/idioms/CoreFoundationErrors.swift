// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// The last error under its type's name.
struct Refusal: Error {
  let cause: CFError
  var code: Int { CFErrorGetCode(cause) }
}

func create(_ host: String) -> Result<SCNetworkReachability, Refusal> {
  guard let target = SCNetworkReachabilityCreateWithName(nil, host) else {
    return .failure(Refusal(cause: SCCopyLastError()))
  }
  return .success(target)
}

func describe(_ error: CFError?) -> String {
  guard let error = error else { return "none" }
  return "\(CFErrorGetDomain(error) as String) \(CFErrorGetCode(error)) \(CFErrorCopyDescription(error) as String)"
}

func refuse() throws {
  guard case .failure(let refusal) = create("") else { return }
  throw refusal.cause
}

func describeRefusal() -> [String] {
  guard case .failure(let refusal) = create("") else { return [] }
  let error: CFError = SCCopyLastError()
  var lines = ["\(refusal.code)", describe(error), describe(nil), (error as Error).localizedDescription]
  do { try refuse() } catch { lines.append("thrown: \((error as NSError).domain) \((error as NSError).code)") }
  switch SCError() {
  case Int32(kSCStatusOK): lines.append("OK")
  case Int32(kSCStatusInvalidArgument): lines.append("invalid argument")
  default: lines.append(String(cString: SCErrorString(SCError())))
  }
  lines.append(String(cString: SCErrorString(Int32(kSCStatusReachabilityUnknown)), encoding: .utf8) ?? "")
  return lines
}
