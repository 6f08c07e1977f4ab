import BackstitchTestKit
import CSHA256
import Crypto
import Foundation
import Testing

@testable import BackstitchSupport

@Suite("SHA-256", .serialized)
struct SHA256Tests {
    @Test(
        "gives the digests of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func examples(_ text: String, _ digest: String) {
        #expect(BackstitchSupport.SHA256.hash(data: Data(text.utf8)).hexadecimal == digest)
    }

    @Test(
        "agrees with another implementation, in pieces of any length, with the processor's instructions and without",
        arguments: [false, true])
    func agrees(_ isFast: Bool) {
        backstitch_sha256_set_fast(isFast ? 1 : 0)
        defer { backstitch_sha256_set_fast(1) }
        let seed = SeededGenerator.seed()
        print("counted: SHA-256 of seed \(seed), by the processor's instructions: \(backstitch_sha256_is_fast() == 1)")
        var random = SeededGenerator(seed: seed)
        for length in Array(0..<200) + [1_000, 65_536, 100_003] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            var hash = BackstitchSupport.SHA256(), rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 0...150, using: &random))
                hash.update(data: Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            #expect(hash.finalize() == Array(Crypto.SHA256.hash(data: bytes)), "\(length) bytes")
        }
    }

    @Test("a copy goes on by itself")
    func copies() {
        var one = BackstitchSupport.SHA256()
        one.update(data: Data("a".utf8))
        var two = one
        two.update(data: Data("b".utf8))
        #expect(one.finalize() == BackstitchSupport.SHA256.hash(data: Data("a".utf8)))
        #expect(two.finalize() == BackstitchSupport.SHA256.hash(data: Data("ab".utf8)))
    }
}
