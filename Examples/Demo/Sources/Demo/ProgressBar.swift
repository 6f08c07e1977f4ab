import Foundation

/// Shows the progress of a phase: a bar that is redrawn on a terminal, or one line at the end in a pipe.
final class ProgressBar: Sendable {
    private struct State {
        var shown = -1
        var isFinished = false
    }

    private let title: String
    private let total: Int
    private let start = ContinuousClock.now
    private let lock = NSLock()
    // Only a thread with the lock uses it.
    nonisolated(unsafe) private var state = State()

    /// Makes a bar for a phase of about `total` objects; zero means an unknown number.
    init(_ title: String, total: Int) {
        self.title = title
        self.total = total
    }

    /// Shows the number of finished objects.
    func update(_ count: Int) {
        guard Terminal.isInteractive else { return }
        lock.withLock {
            let percent = total > 0 ? min(100, count * 100 / total) : count
            guard !state.isFinished, percent != state.shown else { return }
            state.shown = percent
            let bar =
                total > 0
                ? String(repeating: "█", count: percent / 4) + String(repeating: "░", count: 25 - percent / 4)
                    + " \(percent) %"
                : "\(count)"
            Terminal.write("\r  \(title.padding(toLength: 28, withPad: " ", startingAt: 0)) \(bar)")
        }
    }

    /// Ends the phase and returns its figures.
    func finish(_ count: Int) -> Phase {
        let phase = Phase(title: title, objects: count, duration: start.duration(to: .now))
        lock.withLock { state.isFinished = true }
        Terminal.write((Terminal.isInteractive ? "\r\u{1B}[K" : "") + "  " + phase.line + "\n")
        return phase
    }
}
