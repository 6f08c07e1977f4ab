#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The body of an answer of the zone server. It is searched as bytes, so that the client spends almost no time on pages
/// of megabytes.
struct ServerAnswer {
    let bytes: [UInt8]

    /// The number of occurrences of a text.
    func occurrences(of text: String) -> Int {
        var count = 0, start = 0
        while let found = position(of: text, from: start) {
            count += 1
            start = found + text.utf8.count
        }
        return count
    }

    func contains(_ text: String) -> Bool { position(of: text, from: 0) != nil }

    /// The JSON string of the first occurrence of a key, with its slashes; nil without such a key.
    func string(of key: String) -> String? {
        let opening = "\"\(key)\":\""
        guard let start = position(of: opening, from: 0).map({ $0 + opening.utf8.count }),
            let end = position(of: "\"", from: start)
        else { return nil }
        return String(decoding: bytes[start..<end], as: UTF8.self).replacing(#"\/"#, with: "/")
    }

    /// The first position of a text, from a byte on.
    private func position(of text: String, from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        return bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress, let first = wanted.first else { return nil }
            let end = all.count - wanted.count
            var place = start
            while place <= end, let found = memchr(base + place, Int32(first), end + 1 - place) {
                place = base.distance(to: UnsafeRawPointer(found))
                if memcmp(base + place, wanted, wanted.count) == 0 { return place }
                place += 1
            }
            return nil
        }
    }
}

extension ServerAnswer: CustomStringConvertible {
    /// The first 300 bytes of the body.
    var description: String { String(decoding: bytes.prefix(300), as: UTF8.self) }
}
