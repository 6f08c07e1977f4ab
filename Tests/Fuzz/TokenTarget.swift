#if FUZZING

import CloudWire
import Foundation

@testable import BackstitchServer

/// Change tokens, forged and genuine: none is read otherwise than it was written.
///
/// An even first byte: the rest is a token's text. An odd one: the rest is made a token with a genuine mark, as only
/// the server could.
struct TokenTarget: FuzzTarget {
    private let signer = TokenSigner(secret: Array(repeating: 7, count: 32))
    private let feed = SyncToken.Feed(
        database: DatabaseKey(tenant: "container/development", scope: .private, owner: "owner"), zone: "Zone")

    func run(_ input: [UInt8]) {
        var input = FuzzInput(input)
        if input.byte() % 2 == 0 { return read(String(decoding: input.remainder(), as: UTF8.self)) }
        let token = SyncToken(
            kind: SyncToken.Kind(rawValue: input.byte() % 3 + 1) ?? .zone, epoch: input.number(),
            // Sequences count from zero.
            sequence: input.number() & .max, floor: input.number() & .max)
        let text = token.text(feed, signer)
        guard let again = try? SyncToken.read(text, feed, signer) else {
            return promise(false, "\(token) is not read again")
        }
        promise(again.text(feed, signer) == text, "\(token) is read as \(again)")
        promise(again.epoch == token.epoch && again.sequence == token.sequence, "\(token) is read as \(again)")
        try? again.check(kind: token.kind, epoch: input.number(), head: input.number(), floor: input.number())
        // One bit more or less is another token.
        var bytes = Array(text.utf8)
        let place = Int(input.byte()) % bytes.count
        bytes[place] ^= 1 << (input.byte() % 6)
        let changed = String(decoding: bytes, as: UTF8.self)
        if let read = try? SyncToken.read(changed, feed, signer) {
            promise(read == again, "\(changed) is not genuine, and is read as \(read)")
        }
    }

    private func read(_ text: String) {
        promise((try? SyncToken.read(text, feed, signer)) == nil, "\(text) is not genuine, and is read")
    }
}

#endif
