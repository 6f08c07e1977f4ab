import BackstitchSupport
import CloudWire

/// Limits the sign-ins at a time, in total and from one address. A caller has proved nothing yet, but may make the
/// server wait for the bytes of a request and for a provider.
final class SignInPlaces: Sendable {
    /// Most sign-ins at a time, in total and from one address.
    static let usual = (ofAll: 256, ofAddress: 32)

    private let ofAll: Int
    private let ofAddress: Int
    private let taken = Locked<[String: Int]>([:])

    init(ofAll: Int = usual.ofAll, ofAddress: Int = usual.ofAddress) {
        self.ofAll = ofAll
        self.ofAddress = ofAddress
    }

    /// Runs `body` if there is a place for it.
    ///
    /// - Throws: THROTTLED if the address has too many places, TRY_AGAIN_LATER if none is left; the error of `body`.
    func run<Value>(from address: String, _ body: () async throws -> Value) async throws -> Value {
        let refusal: WireError? = taken.withLock { taken in
            if taken[address, default: 0] >= ofAddress {
                return WireError(
                    .throttled, "at most \(ofAddress) users sign in from one address at a time", retryAfter: 1)
            }
            if taken.values.reduce(0, +) >= ofAll {
                return WireError(.tryAgainLater, "at most \(ofAll) users sign in at a time", retryAfter: 1)
            }
            taken[address, default: 0] += 1
            return nil
        }
        if let refusal { throw refusal }
        defer {
            taken.withLock { taken in
                taken[address, default: 0] -= 1
                if taken[address] == 0 { taken[address] = nil }
            }
        }
        return try await body()
    }
}
