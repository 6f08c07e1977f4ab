/// The one folding of text, for objects in memory and for every store; ``FetchTextOptions`` defines it.
///
/// A database that cannot call Swift builds the same function from ``lowercasePairs`` (a translation table of single
/// scalars), NFD, and the removal of U+0300 to U+036F.
package enum TextFolding {
    /// Returns `text` folded by `options`. Complexity: O(length); ASCII text takes a faster path.
    package static func fold(_ text: String, _ options: FetchTextOptions) -> String {
        if options.contains(.numeric) { return numericKey(fold(text, options.subtracting(.numeric))) }
        if options.isEmpty { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? lowercaseASCII(text) : text
        }
        var scalars = options.contains(.diacriticInsensitive) ? stripped(text) : Array(text.unicodeScalars)
        if options.contains(.caseInsensitive) {
            for index in scalars.indices { scalars[index] = lowercase(scalars[index]) }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns `text` with each run of digits replaced by its length in four digits and the run without leading zeros.
    /// The byte order of the result is the order by numbers.
    private static func numericKey(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var key: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let run = bytes[index...].prefix { (48...57).contains($0) }
            if run.isEmpty {
                key.append(bytes[index])
                index += 1
                continue
            }
            let digits = run.drop { $0 == 48 }
            let length = String(min(digits.count, 9999))
            key += Array(repeating: 48, count: 4 - length.utf8.count) + Array(length.utf8) + Array(digits)
            index += run.count
        }
        return String(decoding: key, as: UTF8.self)
    }

    /// Returns the scalar's simple lower-case mapping.
    package static func lowercase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let value = scalar.value
        if value < 0x80 { return (0x41...0x5A).contains(value) ? Unicode.Scalar(UInt8(value) | 0x20) : scalar }
        return lowercaseMap[value] ?? scalar
    }

    /// Every scalar with a lower-case mapping, and its mapping, in rising order.
    package static let lowercasePairs: [(scalar: Unicode.Scalar, lowercase: Unicode.Scalar)] =
        (0x41...0x5A).map { (Unicode.Scalar(UInt8($0)), Unicode.Scalar(UInt8($0 | 0x20))) }
        + lowercaseMap.sorted { $0.key < $1.key }.compactMap { key, lower in Unicode.Scalar(key).map { ($0, lower) } }

    /// The capital of each small letter; the first if several capitals have the same small letter.
    package static let capitals = Dictionary(
        lowercasePairs.map { ($0.lowercase, $0.scalar) }, uniquingKeysWith: { first, _ in first })

    private static func lowercaseASCII(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Returns the canonical decomposition in canonical order, without the marks U+0300 to U+036F.
    private static func stripped(_ text: String) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { appendDecomposition(of: scalar, to: &scalars) }
        // The marks are removed before the rest is ordered: sorting a long run of them costs much. U+034F has class 0
        // and separates runs, so it is removed last.
        scalars.removeAll { (0x300...0x36F).contains($0.value) && $0.value != 0x34F }
        orderMarks(&scalars)
        scalars.removeAll { $0.value == 0x34F }
        return scalars
    }

    private static func appendDecomposition(of scalar: Unicode.Scalar, to scalars: inout [Unicode.Scalar]) {
        if scalar.value < 0xC0 {
            scalars.append(scalar)
        } else if (0xAC00...0xD7A3).contains(scalar.value) {
            appendHangul(scalar.value - 0xAC00, to: &scalars)
        } else if let decomposition = decompositionMap[scalar.value] {
            scalars.append(contentsOf: decomposition)
        } else {
            scalars.append(scalar)
        }
    }

    /// Appends a Hangul syllable's letters, by the arithmetic of the Unicode Standard, section 3.12.
    private static func appendHangul(_ index: UInt32, to scalars: inout [Unicode.Scalar]) {
        let parts = [0x1100 + index / 588, 0x1161 + index % 588 / 28, index % 28 == 0 ? 0 : 0x11A7 + index % 28]
        scalars.append(contentsOf: parts.filter { $0 != 0 }.compactMap(Unicode.Scalar.init))
    }

    /// Sorts each run of marks by combining class, and keeps marks of one class in their order.
    private static func orderMarks(_ scalars: inout [Unicode.Scalar]) {
        var start = 0
        while start < scalars.count {
            var end = start
            while end < scalars.count, combiningClass(scalars[end]) != 0 { end += 1 }
            if end - start > 1 {
                let sorted = scalars[start..<end].enumerated().sorted {
                    (combiningClass($0.element), $0.offset) < (combiningClass($1.element), $1.offset)
                }
                scalars.replaceSubrange(start..<end, with: sorted.map(\.element))
            }
            start = end + 1
        }
    }

    private static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        scalar.value < 0x300 ? 0 : scalar.properties.canonicalCombiningClass.rawValue
    }

    private static let lowercaseMap: [UInt32: Unicode.Scalar] = {
        var map: [UInt32: Unicode.Scalar] = [:]
        for run in lowercaseRuns.split(whereSeparator: \.isWhitespace) {
            let sides = run.split(separator: ":")
            let head = sides[0].split(separator: "*")
            let start = head[0].split(separator: "+")
            guard let first = UInt32(start[0], radix: 16), let delta = Int64(sides[1]) else { continue }
            let count = start.count > 1 ? UInt32(start[1]) ?? 1 : 1
            let distance = head.count > 1 ? UInt32(head[1]) ?? 1 : 1
            for index in 0..<count {
                let scalar = first + index * distance
                map[scalar] = Unicode.Scalar(UInt32(Int64(scalar) + delta))
            }
        }
        return map
    }()

    private static let decompositionMap: [UInt32: [Unicode.Scalar]] = {
        var map: [UInt32: [Unicode.Scalar]] = [:]
        var scalar: UInt32 = 0
        for entry in decompositions.split(whereSeparator: \.isWhitespace) {
            let sides = entry.split(separator: ":")
            scalar = sides.count > 1 ? UInt32(sides[0], radix: 16) ?? 0 : scalar + 1
            map[scalar] = sides[sides.count - 1].split(separator: ".")
                .compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
        }
        return map
    }()
}
