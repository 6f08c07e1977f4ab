import Backstitch

/// The rule for a ``SyncReset``: one action for all of them, or code of the program that decides.
///
/// ```swift
/// .syncResetPolicy: "keep"
/// .syncResetPolicy: SyncResetPolicy.ask { reset in
///     switch reset {
///     case .accountChanged: await askUser("Keep these notes for the new account?") ? .keep : .wipe
///     default: .keep
///     }
/// }
/// ```
/// | | `keep` | `wipe` | `stop` |
/// |---|---|---|---|
/// | another user signs in | all objects here are sent to that user | that user's objects replace them | sync stops |
/// | the user signs out | everything stays, and waits | objects here are removed | everything stays, and waits |
/// | the zone was deleted or replaced | it is filled again from here | objects here are removed | sync stops |
/// | the user removed the data from the server | it is filled again from here | objects here are removed | sync stops |
/// | a further zone was deleted | it is created and filled again | its objects here are removed | sync stops |
///
/// Without the option, `keep` is the rule, with two exceptions. A removal by the user stops sync: data removed on
/// purpose is not uploaded again without asking. A deleted further zone takes its objects with it (`wipe`). Nothing
/// else is ever lost by default.
public struct SyncResetPolicy: Sendable {
    /// Receives the event and returns the action; the cycle waits for it.
    public typealias Handler = @Sendable (SyncReset) async -> SyncResetAction

    let action: Handler

    /// Returns a policy that takes the same action after every event.
    public static func always(_ action: SyncResetAction) -> SyncResetPolicy { SyncResetPolicy { _ in action } }

    /// Returns a policy that asks the program's code.
    public static func ask(_ handler: @escaping Handler) -> SyncResetPolicy { SyncResetPolicy(action: handler) }

    static let standard = SyncResetPolicy { reset in
        switch reset {
        case .zonePurged: .stop
        case .furtherZoneDeleted: .wipe
        case .accountChanged, .signedOut, .zoneDeleted, .zoneReset: .keep
        }
    }
}
