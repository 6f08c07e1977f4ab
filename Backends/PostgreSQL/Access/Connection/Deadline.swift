/// A moment until which to wait, by a clock that nobody sets.
struct Deadline {
    /// nil for never.
    private let moment: ContinuousClock.Instant?

    /// Never.
    static let none = Deadline(moment: nil)

    /// In so many seconds; never for nil.
    init(seconds: Double?) { moment = seconds.map { ContinuousClock.now + .milliseconds(Int64($0 * 1000)) } }

    private init(moment: ContinuousClock.Instant?) { self.moment = moment }

    var isOver: Bool { moment.map { ContinuousClock.now >= $0 } ?? false }

    /// Milliseconds that are left, as `poll` takes them: rounded up, -1 for no end.
    var milliseconds: Int32 {
        guard let moment else { return -1 }
        let left = ContinuousClock.now.duration(to: moment)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Seconds that are left; nil for no end.
    var seconds: Double? { moment == nil ? nil : Double(milliseconds) / 1000 }
}
