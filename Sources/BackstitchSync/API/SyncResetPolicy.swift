import Backstitch

/// The rule for what to do after a ``SyncReset``: one action for all of them, or code of the program that decides.
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
/// | another user signs in | everything here goes to that user too | what is that user's comes | sync stops |
/// | nobody is signed in | everything stays, and waits | everything here goes | everything stays, and waits |
/// | the zone was deleted, or made anew by another device | it is filled again from here | everything here goes | sync stops |
/// | the user removed the data from the server | it is filled again from here | everything here goes | sync stops |
/// | a further zone was deleted | it is made again, and filled from here | its objects here go | sync stops |
///
/// Unless the option is given, `keep` holds, but a removal by the user stops sync: what was removed on purpose is not
/// uploaded again without asking. So nothing is ever lost by default, but for the objects of a further zone that
/// somebody has deleted as such: there `wipe` holds.
public struct SyncResetPolicy: Sendable {
    /// Looks at what happened, and says what to do; the cycle waits for it.
    public typealias Handler = @Sendable (SyncReset) async -> SyncResetAction

    let action: Handler

    /// The same for all.
    public static func always(_ action: SyncResetAction) -> SyncResetPolicy { SyncResetPolicy { _ in action } }

    /// The program decides.
    public static func ask(_ handler: @escaping Handler) -> SyncResetPolicy { SyncResetPolicy(action: handler) }

    static let standard = SyncResetPolicy { reset in
        switch reset {
        case .zonePurged: .stop
        case .furtherZoneDeleted: .wipe
        case .accountChanged, .signedOut, .zoneDeleted, .zoneReset: .keep
        }
    }
}
