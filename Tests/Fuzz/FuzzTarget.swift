#if FUZZING

/// A part of Backstitch that reads bytes of others.
protocol FuzzTarget {
    init() throws
    /// Reads an input; a promise that does not hold traps.
    func run(_ input: [UInt8])
}

/// An input, taken apart from its front.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// The next bytes, at most `count`.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The next eight bytes as a number.
    mutating func number() -> Int64 { bytes(8).reduce(0) { $0 << 8 | Int64($1) } }

    /// Some of the next bytes. The first of them is their number.
    mutating func piece() -> [UInt8] { bytes(Int(byte())) }

    /// All that is left.
    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

/// Traps unless a promise holds.
func promise(_ holds: Bool, _ text: @autoclosure () -> String) {
    precondition(holds, text())
}

#endif
