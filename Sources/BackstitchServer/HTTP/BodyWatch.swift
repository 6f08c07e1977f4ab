import BackstitchSupport
import NIOCore

/// Closes a connection if its body arrives too slowly; see ``BodyPace``.
final class BodyWatch: Sendable {
    private struct State {
        var deadline: NIODeadline
        /// The start of the server's work on the received bytes. No more bytes can arrive meanwhile.
        var pause: NIODeadline?
        var look: Scheduled<Void>?
        var isOver = false
    }

    private let channel: any Channel
    private let pace: BodyPace
    private let state: Locked<State>

    /// Begins the watch, with the grace time for the first bytes.
    init(_ channel: any Channel, _ pace: BodyPace) {
        self.channel = channel
        self.pace = pace
        state = Locked(State(deadline: channel.eventLoop.now + pace.grace))
        lookAgain(at: channel.eventLoop.now + pace.grace)
    }

    /// Notes the arrival of bytes. The server works on them until ``resume()``.
    func pause(after bytes: Int) {
        let now = channel.eventLoop.now
        state.withLock { state in
            state.deadline = pace.deadline(after: bytes, at: now, before: state.deadline)
            state.pause = now
        }
    }

    /// Notes the end of the server's own work: it waits for bytes again. The time of that work does not count.
    func resume() {
        let now = channel.eventLoop.now
        state.withLock { state in
            if let pause = state.pause { state.deadline = state.deadline + (now - pause) }
            state.pause = nil
        }
    }

    /// Ends the watch and cancels its timer.
    func end() {
        let look = state.withLock { state in
            state.isOver = true
            defer { state.look = nil }
            return state.look
        }
        look?.cancel()
    }

    private func lookAgain(at time: NIODeadline) {
        let look = channel.eventLoop.scheduleTask(deadline: time) { self.look() }
        let isOver = state.withLock { state in
            if !state.isOver { state.look = look }
            return state.isOver
        }
        if isOver { look.cancel() }
    }

    private func look() {
        let now = channel.eventLoop.now
        let next: NIODeadline? = state.withLock { state in
            if state.isOver { return nil }
            if state.pause != nil { return now + pace.grace }
            return state.deadline
        }
        guard let next else { return }
        if next <= now { channel.close(promise: nil) } else { lookAgain(at: next) }
    }
}
