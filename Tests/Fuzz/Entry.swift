#if FUZZING

import Foundation

/// The entry point for libFuzzer: runs one input of the target named by `BACKSTITCH_FUZZ`.
///
/// An error is the right answer to a bad input. Any other effect of the input stops the program, and libFuzzer writes
/// the input down. Such effects are a trap, a read beyond its bytes (AddressSanitizer), a hang (`-timeout`), growing
/// memory (`-rss_limit_mb`), and a broken promise of the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}

// libFuzzer calls on one thread.
nonisolated(unsafe) private let target: any FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["BACKSTITCH_FUZZ"] ?? ""
    guard let type = allTargets[name] else {
        preconditionFailure("BACKSTITCH_FUZZ is '\(name)'; it names one of \(allTargets.keys.sorted())")
    }
    do { return try type.init() } catch { preconditionFailure("\(name) cannot begin: \(error)") }
}()

private let allTargets: [String: any FuzzTarget.Type] = [
    "json": JSONTarget.self, "predicate": PredicateTarget.self, "postgresql": PostgreSQLTarget.self,
    "tokens": TokenTarget.self, "idtokens": IDTokenTarget.self, "multipart": MultipartTarget.self,
    "cells": CellTarget.self, "queries": QueryTarget.self,
]

#else

/// The program as other builds see it.
@main struct Fuzz {
    static func main() { print("This program is built and run by: make fuzz") }
}

#endif
