import BackstitchSupport
import Foundation
import Testing

@Suite("Bytes in texts and numbers")
struct BytesTests {
    @Test("hexadecimal digits go there and back, in either case")
    func hexadecimal() {
        let all = [UInt8](0...255)
        let text = all.hexadecimal
        #expect(text.hasPrefix("000102030405060708090a0b0c0d0e0f10") && text.hasSuffix("fdfeff"))
        #expect([UInt8](hexadecimal: text) == all && [UInt8](hexadecimal: text.uppercased()) == all)
        #expect([UInt8]().hexadecimal == "" && [UInt8](hexadecimal: "") == [])
        #expect(Data([1, 0xAB]).hexadecimal == "01ab" && "az".utf8.hexadecimal == "617a")
    }

    @Test("no other text is hexadecimal", arguments: ["0", "abc", "+1", "0x", " 1", "1g", "１２", "0\u{0}", "-0"])
    func noHexadecimal(_ text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }

    @Test("base64 for addresses goes there and back, and has no character that is escaped")
    func base64URL() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 251) }
            let text = bytes.base64URL
            #expect(text.utf8.allSatisfy { !"+/=".utf8.contains($0) })
            #expect([UInt8](base64URL: text) == bytes)
        }
        #expect(([0xFB, 0xFF] as [UInt8]).base64URL == "-_8")
        #expect([UInt8](base64URL: "a*bc") == nil)
    }

    @Test("integers go there and back in both orders")
    func integers() {
        #expect(UInt32(0x0102_0304).bigEndianBytes == [1, 2, 3, 4])
        #expect(UInt32(0x0102_0304).littleEndianBytes == [4, 3, 2, 1])
        for number in [0, 1, -1, 258, Int64.min, .max] {
            #expect(Int64(bigEndianBytes: number.bigEndianBytes) == number)
            #expect(Int64(littleEndianBytes: Data(number.littleEndianBytes)) == number)
        }
    }

    @Test("parts of an array hold its elements in their order, and the last may be shorter")
    func parts() {
        #expect(Array(0..<7).parts(of: 3).map { Array($0) } == [[0, 1, 2], [3, 4, 5], [6]])
        #expect(Array(0..<6).parts(of: 3).count == 2 && [1].parts(of: 9).map { Array($0) } == [[1]])
        #expect([Int]().parts(of: 3).isEmpty)
    }
}
