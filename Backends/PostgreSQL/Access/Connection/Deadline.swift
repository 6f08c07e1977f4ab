/// The end of a wait, on a clock that is never set back or forward.
struct Deadline {
    /// The moment; nil for never.
    private let moment: ContinuousClock.Instant?

    /// A deadline that never ends.
    static let none = Deadline(moment: nil)

    /// Ends after this number of seconds; never for nil.
    init(seconds: Double?) { moment = seconds.map { ContinuousClock.now + .milliseconds(Int64($0 * 1000)) } }

    private init(moment: ContinuousClock.Instant?) { self.moment = moment }

    var isOver: Bool { moment.map { ContinuousClock.now >= $0 } ?? false }

    /// The remaining milliseconds in the form for `poll`: rounded up, -1 for no end.
    var milliseconds: Int32 {
        guard let moment else { return -1 }
        let left = ContinuousClock.now.duration(to: moment)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// The remaining seconds; nil for no end.
    var seconds: Double? { moment == nil ? nil : Double(milliseconds) / 1000 }
}
