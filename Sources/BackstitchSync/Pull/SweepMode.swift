import Backstitch
import BackstitchSupport
import CloudWire

/// Why everything is fetched again.
enum SweepMode: String {
    /// The token was refused: deletions may have been missed.
    case missed
    /// The model or this version changed: what is known may be read differently.
    case reapply
    /// The program asked for it: what it has may be damaged.
    case asked
    /// The server has gone back to an earlier state: what it lacks was not deleted, but lost.
    case restored

    /// Tells how a record with a known tag is treated. In a full fetch only a tag that names its history is sure not to
    /// be another history's.
    static func fate(ofKnown tag: String, in page: FetchedPage, _ mode: SweepMode?) -> KnownTag {
        switch mode {
        case nil: .skip
        case .missed, .restored: isProven(tag, in: page) ? .skip : .compare
        case .asked: isProven(tag, in: page) ? .acknowledged : .compare
        case .reapply: .apply
        }
    }

    private static func isProven(_ tag: String, in page: FetchedPage) -> Bool {
        page.history != nil && ChangeTag(tag).map { $0.history > 0 } ?? false
    }
}
