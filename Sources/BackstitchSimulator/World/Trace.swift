/// The events of a world, one line a step. Their digest compares two runs of one seed.
package final class Trace {
    /// The lines; empty unless they are kept.
    package private(set) var lines: [String] = []
    /// FNV-1a over the lines, as they would be kept.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private let isKept: Bool
    private let tell: ((String) -> Void)?
    private unowned let scheduler: Scheduler
    private let start: Int64

    /// - Parameter tell: Gets each line at once, in place of ``lines``.
    init(_ scheduler: Scheduler, isKept: Bool, tell: ((String) -> Void)?) {
        self.tell = tell
        self.scheduler = scheduler
        self.isKept = isKept
        start = scheduler.now
    }

    func note(_ text: String) {
        let time = scheduler.now - start
        for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        digest = (digest ^ UInt64(bitPattern: time)) &* 0x0000_0100_0000_01B3
        guard isKept else { return }
        let line = "\(Self.stamp(time)) \(text)"
        if let tell { tell(line) } else { lines.append(line) }
    }

    private static func stamp(_ milliseconds: Int64) -> String {
        let text = String(milliseconds)
        let padded = String(repeating: "0", count: max(0, 4 - text.count)) + text
        return "\(padded.dropLast(3)).\(padded.suffix(3))s"
    }
}
