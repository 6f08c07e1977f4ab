#if FUZZING

import BackstitchSupport
import Foundation

@testable import BackstitchServer

/// ID tokens from any sender. None with another spelling is accepted, and each accepted one has an end.
///
/// An even first byte: the rest is a token's text. An odd one: the rest is the JSON of the header, after its length,
/// and that of the claims, in a token of the right form.
struct IDTokenTarget: FuzzTarget {
    private let provider = SignInProvider(issuer: "https://id.example.org", clientIDs: ["notes"])
    private static let now: Int64 = 1_700_000_000_000

    func run(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let isText = input.byte() % 2 == 0
        let parts = isText ? [] : [input.piece(), input.remainder(), [1, 2, 3]]
        let text =
            isText ? String(decoding: input.remainder(), as: UTF8.self) : parts.map(\.base64URL).joined(separator: ".")
        guard let token = try? IDToken(text) else { return }
        promise(
            String(decoding: token.signed, as: UTF8.self) + "." + token.signature.base64URL == text,
            "\(text) is read, and has another spelling")
        for nonce in [nil, "nonce"] {
            guard (try? token.claims.check(for: provider, nonce: nonce, at: Self.now)) != nil else { continue }
            promise(token.claims.end > Self.now, "\(text) is taken, and its digest would be forgotten at once")
        }
    }
}

#endif
