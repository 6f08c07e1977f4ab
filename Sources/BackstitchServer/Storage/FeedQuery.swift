import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Which part of a feed is asked for.
struct FeedQuery: Sendable {
    /// Versions after this sequence; with `reverse`, before it.
    var cursor: Int64
    /// Most records, unless a single commit has more.
    var limit: Int
    /// Most bytes in an answer.
    var bytes: Int
    /// Whether a single commit may have more bytes than that: the first one of an answer must, or its reader would get
    /// no further.
    var takesLargeCommit: Bool
    /// Newest first.
    var reverse: Bool
}
