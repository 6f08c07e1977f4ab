/// The reason for a sync cycle.
public enum SyncReason: Hashable, Sendable {
    /// The store was opened.
    case storeAdded
    /// The server sent a notification of a change.
    case push
    /// The network came back.
    case networkState
    /// A save left changes to send.
    case localSave
    /// Time has passed: a poll, or another try after a failure.
    case timer
    /// The program asked for it, for the reason given.
    case manual(String)
}

extension SyncReason: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates ``manual(_:)`` with that text.
    public init(stringLiteral value: String) { self = .manual(value) }

    /// The reason in words.
    public var description: String {
        switch self {
        case .storeAdded: "store added"
        case .push: "push"
        case .networkState: "network state"
        case .localSave: "local save"
        case .timer: "timer"
        case .manual(let text): text
        }
    }

    /// The priority among several merged reasons. The lowest one is reported.
    var rank: Int {
        switch self {
        case .manual: 0
        case .push: 1
        case .storeAdded: 2
        case .networkState: 3
        case .localSave: 4
        case .timer: 5
        }
    }
}
