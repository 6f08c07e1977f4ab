import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The part of a feed to read.
struct FeedQuery: Sendable {
    /// The page has the versions after this sequence; with `reverse`, those before it.
    var cursor: Int64
    /// The maximum number of records. A single commit may have more.
    var limit: Int
    /// The maximum size of an answer in bytes.
    var bytes: Int
    /// Whether a single commit may exceed `bytes`.
    ///
    /// The first commit of an answer must be allowed to, or its reader would never get past it.
    var takesLargeCommit: Bool
    /// Whether the newest versions come first.
    var reverse: Bool
}
