import Backstitch
import BackstitchTestKit
import CloudWire
import Foundation
import Testing

@testable import BackstitchSync

@Suite("the form of encrypted values")
struct EnvelopeTests {
    private let place = SealedPlace(recordName: "R1", recordType: "Note", field: "title")

    @Test("a value of each type decodes to what it was")
    func roundTrip() throws {
        let values: [WireValue] = [
            .int64(.min), .int64(0), .double(-0.0), .double(.leastNonzeroMagnitude), .timestamp(-1), .string(""),
            .string("a\u{0}b \u{1F9F5}"), .bytes(Data()), .bytes(Data([1, 2, 3])),
        ]
        let key = try EncryptionKey.generated(id: "k")
        for value in values {
            let sealed = try SealedEnvelope(SealedContent.value(value).bytes, with: key, at: place).bytes
            let envelope = try #require(SealedEnvelope(sealed))
            #expect(envelope.keyID == "k")
            let plain = try #require(envelope.open(with: key, at: place))
            guard case .value(let read)? = SealedContent(plain) else { Issue.record("\(value)"); continue }
            #expect(read == value && (value != .double(-0.0) || "\(read)" == "\(value)"))
        }
        let link = WireValue.reference(WireReference(recordName: "x"))
        #expect(throws: RecordFault.self) { try SealedContent.value(link).bytes }
    }

    @Test("a value under another key, of another record, type or field, or with any byte changed does not open")
    func authenticity() throws {
        let key = try EncryptionKey.generated(id: "k"), other = try EncryptionKey.generated(id: "k")
        let sealed = try SealedEnvelope(Data("secret".utf8), with: key, at: place).bytes
        #expect(SealedEnvelope(sealed)?.open(with: key, at: place) == Data("secret".utf8))
        #expect(SealedEnvelope(sealed)?.open(with: other, at: place) == nil)
        for elsewhere in [
            SealedPlace(recordName: "R2", recordType: "Note", field: "title"),
            SealedPlace(recordName: "R1", recordType: "Tag", field: "title"),
            SealedPlace(recordName: "R1", recordType: "Note", field: "body"),
            SealedPlace(recordName: "R1N", recordType: "ote", field: "title"),
        ] {
            #expect(SealedEnvelope(sealed)?.open(with: key, at: elsewhere) == nil)
        }
        for position in sealed.indices {
            var changed = sealed
            changed[position] ^= 1
            #expect(SealedEnvelope(changed)?.open(with: key, at: place) == nil, "byte \(position)")
        }
        for length in 0..<sealed.count {
            #expect(SealedEnvelope(sealed.prefix(length))?.open(with: key, at: place) == nil, "\(length) bytes")
        }
    }

    @Test("the same value twice has two ciphertexts, and neither has the plaintext")
    func nonces() throws {
        let key = try EncryptionKey.generated(id: "k"), text = Data("a text that is long enough".utf8)
        let first = try SealedEnvelope(text, with: key, at: place).bytes
        let second = try SealedEnvelope(text, with: key, at: place).bytes
        #expect(first != second && first.range(of: text.prefix(6)) == nil)
    }

    @Test("any bytes are an envelope or none, and never a trap")
    func anyBytes() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            let bytes = Data(
                (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) })
            _ = SealedEnvelope(bytes)
            _ = SealedContent(bytes)
            _ = RecordSealing(storedForm: bytes)
            _ = AwaitedKey(storedForm: bytes)
        }
    }
}

@Suite("the form of encrypted assets")
struct AssetFrameTests {
    private let key = AssetContentKey()

    private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 8) }) }

    @Test(
        "bytes of any length come back, and the length of their ciphertext is known before",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func roundTrip(_ count: Int) throws {
        let data = bytes(count), sealed = try AssetFrames.seal(data, with: key)
        #expect(Int64(sealed.count) == AssetFrames.sealedSize(Int64(count)))
        #expect(try AssetFrames.open(sealed, with: key) == data)
    }

    @Test("in pieces of any length they give the same, and hold one frame at most")
    func pieces() throws {
        var random = SeededGenerator(seed: 5)
        let data = bytes(300_001), whole = try AssetFrames.seal(data, with: key)
        for _ in 0..<5 {
            var sealer = AssetSealer(key), opener = AssetOpener(key)
            var sealed = Data(), plain = Data(), rest = data[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...100_000, using: &random))
                rest = rest.dropFirst(piece.count)
                sealed += try sealer.update(piece)
            }
            sealed += try sealer.finish()
            #expect(sealed == whole)
            rest = sealed[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...100_000, using: &random))
                rest = rest.dropFirst(piece.count)
                plain += try opener.update(piece)
            }
            #expect(try plain + opener.finish() == data)
        }
    }

    @Test("what is cut off, doubled, in another order, changed or under another key is found out")
    func authenticity() throws {
        let frame = AssetFrames.frameSize + AssetFrames.tagSize
        let sealed = try AssetFrames.seal(bytes(3 * AssetFrames.frameSize), with: key)
        var changed = sealed
        changed[frame + 5] ^= 0x80
        let first = Data(sealed.prefix(frame)), second = Data(sealed.dropFirst(frame).prefix(frame))
        let last = Data(sealed.suffix(frame))
        let doubled: Data = first + first + last
        let swapped: Data = second + first + last
        let gap: Data = first + last
        let longer: Data = sealed + last
        let cut: [Data] = [Data(), first, sealed.prefix(2 * frame), sealed.dropLast(1), last]
        for forged in cut + [sealed + Data([0]), longer, doubled, swapped, gap, changed] {
            let error = #expect(throws: BackstitchError.self) { try AssetFrames.open(Data(forged), with: key) }
            #expect(error?.code == .asset)
        }
        #expect(throws: BackstitchError.self) { try AssetFrames.open(sealed, with: AssetContentKey()) }
    }
}
