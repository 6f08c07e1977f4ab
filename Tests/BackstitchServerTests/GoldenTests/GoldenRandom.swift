import BackstitchSupport
import Crypto
import Foundation

@testable import BackstitchServer

/// Random numbers that depend only on the exchange's name, on each storage.
final class GoldenRandom: ServerRandom {
    private let state = Locked((name: "", count: 0))

    func begin(_ name: String) { state.withLock { $0 = (name, 0) } }

    /// Before the first exchange, and for secrets, always the same bytes: storages ask for them in different orders.
    func bytes(_ count: Int) -> [UInt8] {
        let seed = state.withLock { state in
            if state.name.isEmpty || count >= 32 { return "secret" }
            state.count += 1
            return "\(state.name) \(state.count)"
        }
        var bytes: [UInt8] = []
        for part in 0...count / 32 { bytes += Array(SHA256.hash(data: Data("\(seed) \(part)".utf8))) }
        return Array(bytes.prefix(count))
    }
}
