/// A place in an order, as a text between the texts of its neighbours. Moving an object changes its own rank and no
/// other.
///
/// Ranks are compared by their bytes. A rank is an integer and a fraction. The integer begins with a letter for its
/// number of digits: `a0` … `az`, `b00` …, and downwards `Zz` … . The fraction has digits in base 62, without zeros at
/// its end. Appending raises the integer, so that ranks stay short. The method is D. Greenspan's, "Implementing
/// Fractional Indexing".
struct Rank: Comparable, Hashable {
    /// The rank as it is stored.
    let text: String

    /// Takes the rank from an attribute's value; nil if it holds none.
    init?(_ value: Value) {
        guard case .string(var text) = value, text.withUTF8(Self.isRank) else { return nil }
        self.text = text
    }

    /// Takes a text that is known to be a rank.
    private init(text: String) { self.text = text }

    private init(_ bytes: some Sequence<UInt8>) { text = String(decoding: Array(bytes), as: UTF8.self) }

    /// Creates a rank after `lower` and before `upper`; nil means the end on that side. The result is nil if the two
    /// are not in order.
    init?(after lower: Rank?, before upper: Rank?) {
        if let lower, let upper, lower >= upper { return nil }
        if upper == nil, let next = lower.flatMap({ Self.countedUp($0.text) }) {
            self.init(text: next)
            return
        }
        let low = lower.map { Parts($0.text) }, high = upper.map { Parts($0.text) }
        switch (low, high) {
        case (nil, nil): self.init(Self.first)
        case (nil, let high?):
            if !high.fraction.isEmpty {
                let isSmallest = high.integer == Self.smallest
                self.init(isSmallest ? high.integer + Self.middle([], high.fraction) : high.integer)
            } else if let integer = Self.moved(high.integer, up: false) {
                // The smallest integer alone is no rank, because no rank comes before it.
                self.init(integer == Self.smallest ? integer + Self.middle([], nil) : integer)
            } else {
                return nil
            }
        case (let low?, nil):
            self.init(Self.moved(low.integer, up: true) ?? low.integer + Self.middle(low.fraction, nil))
        case (let low?, let high?):
            if low.integer == high.integer {
                self.init(low.integer + Self.middle(low.fraction, high.fraction))
            } else if let next = Self.moved(low.integer, up: true), next.lexicographicallyPrecedes(high.all) {
                self.init(next)
            } else {
                self.init(low.integer + Self.middle(low.fraction, nil))
            }
        }
    }

    /// Returns `count` ranks after `lower` and before `upper`. They are spread evenly, so that they stay short: some
    /// 62^n of them are n characters longer than their neighbours. Nil if `lower` and `upper` are not in order.
    static func spread(_ count: Int, after lower: Rank?, before upper: Rank?) -> [Rank]? {
        var ranks: [Rank] = []
        ranks.reserveCapacity(count)
        if let lower, let upper {
            return fill(&ranks, count, lower, upper) ? ranks : nil
        }
        // Towards an open end, each integer is a rank.
        var next = upper ?? lower
        for _ in 0..<count {
            let rank = upper == nil ? Rank(after: next, before: nil) : Rank(after: nil, before: next)
            guard let rank else { return nil }
            ranks.append(rank)
            next = rank
        }
        return upper == nil ? ranks : ranks.reversed()
    }

    private static func fill(_ ranks: inout [Rank], _ count: Int, _ lower: Rank, _ upper: Rank) -> Bool {
        guard count > 0 else { return true }
        guard let middle = Rank(after: lower, before: upper) else { return false }
        guard fill(&ranks, (count - 1) / 2, lower, middle) else { return false }
        ranks.append(middle)
        return fill(&ranks, count / 2, middle, upper)
    }

    /// Whether it is longer than a rank should get. If places are made between the same neighbours again and again,
    /// some six of them lengthen it by a character.
    var isLong: Bool { text.utf8.count > 40 }

    /// Whether it is short enough for many more ranks between it and its neighbours.
    var isShort: Bool { text.utf8.count <= 16 }

    static func < (left: Rank, right: Rank) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
}

extension Rank {
    private struct Parts {
        let all: [UInt8]
        let integer: [UInt8]
        let fraction: [UInt8]

        init(_ text: String) {
            all = Array(text.utf8)
            let length = Rank.length(of: all[0]) ?? all.count
            integer = Array(all[..<length])
            fraction = Array(all[length...])
        }
    }

    private static let first = Array("a0".utf8)
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let zero = UInt8(ascii: "0"), last = UInt8(ascii: "z")
    private static let smallest = [UInt8(ascii: "A")] + Array(repeating: UInt8(ascii: "0"), count: 26)

    private static func isRank(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let head = bytes.first, let length = length(of: head), bytes.count >= length else { return false }
        return !bytes.elementsEqual(smallest) && bytes.allSatisfy { digit($0) != nil }
            && (bytes.count == length || bytes.last != zero)
    }

    /// The length of an integer with this head.
    private static func length(of head: UInt8) -> Int? {
        switch head {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(head - UInt8(ascii: "a")) + 2
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(UInt8(ascii: "Z") - head) + 2
        default: nil
        }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a")) + 36
        default: nil
        }
    }

    /// Returns a fraction between two others; nil means one.
    private static func middle(_ low: [UInt8], _ high: [UInt8]?) -> [UInt8] {
        if let high {
            var common = 0
            while common < high.count, (common < low.count ? low[common] : zero) == high[common] { common += 1 }
            if common > 0 { return high[..<common] + middle(Array(low.dropFirst(common)), Array(high[common...])) }
        }
        let from = low.first.flatMap(digit) ?? 0, to = high?.first.flatMap(digit) ?? digits.count
        if to - from > 1 { return [digits[(from + to + 1) / 2]] }
        if let high, high.count > 1 { return [high[0]] }
        return [digits[from]] + middle(Array(low.dropFirst()), nil)
    }

    /// Returns the rank after an integer without a fraction, if only its last digit rises; nil for other ranks. This is
    /// the most frequent case at the end of an order.
    private static func countedUp(_ rank: String) -> String? {
        var rank = rank
        return rank.withUTF8 { bytes in
            let end = bytes.count - 1
            guard let head = bytes.first, length(of: head) == bytes.count, let digit = digit(bytes[end]),
                digit + 1 < digits.count
            else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { copy in
                _ = copy.initialize(from: bytes)
                copy[end] = digits[digit + 1]
                return bytes.count
            }
        }
    }

    /// Returns the next or the previous integer; nil beyond the largest and the smallest.
    private static func moved(_ integer: [UInt8], up: Bool) -> [UInt8]? {
        var body = Array(integer.dropFirst())
        let (limit, start) = up ? (last, zero) : (zero, last)
        for index in body.indices.reversed() {
            if body[index] != limit {
                body[index] = digits[(digit(body[index]) ?? 0) + (up ? 1 : -1)]
                return [integer[0]] + body
            }
            body[index] = start
        }
        switch (integer[0], up) {
        case (UInt8(ascii: "Z"), true): return first
        case (UInt8(ascii: "a"), false): return [UInt8(ascii: "Z"), last]
        case (UInt8(ascii: "z"), true), (UInt8(ascii: "A"), false): return nil
        default: break
        }
        let head = up ? integer[0] + 1 : integer[0] - 1
        let count = (length(of: head) ?? 2) - 1
        return [head] + Array(repeating: start, count: count)
    }
}
