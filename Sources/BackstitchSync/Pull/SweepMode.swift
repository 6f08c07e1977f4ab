import Backstitch
import BackstitchSupport
import CloudWire

/// The reason for a full fetch.
enum SweepMode: String {
    /// The token was refused: deletions may have been missed.
    case missed
    /// The model or this version changed: known records may be read differently.
    case reapply
    /// The program asked for it: the store may be damaged.
    case asked
    /// The server has gone back to an earlier state: missing records were lost, not deleted.
    case restored

    /// Returns the treatment of a record with a known tag. In a full fetch a tag is certain only if it names its
    /// history; otherwise it may belong to another one.
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
