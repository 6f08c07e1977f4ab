/// The choices of a plain server. CloudKit Web Services leaves them open, or real servers were seen to differ in them.
package struct PlainBehavior: Sendable, Hashable, CustomStringConvertible {
    /// The lifetime of web tokens.
    package enum WebTokens: String, Sendable, Hashable, CaseIterable {
        /// A token stays valid for ever.
        case fixed
        /// Each answer brings a new token. The previous token is valid once more.
        case rotating
        /// Each token is valid for one request.
        case singleUse
    }

    /// To create an existing record fails with EXISTS, not CONFLICT.
    package var saysExists = false
    /// If one part of a request fails, the status is 400, not 200.
    package var failsWhole = false
    /// An empty page comes before each page.
    package var sendsEmptyPages = false
    /// Empty lists are left out of an answer.
    package var leavesOutLists = false
    /// An undocumented key in a request is a BAD_REQUEST.
    package var refusesUnknownKeys = true
    /// Results of a modification have another order than its operations.
    package var shufflesResults = false
    /// A reader who starts from the beginning is told of deletions.
    package var tellsOldDeletions = true
    /// The server has subscriptions and the long poll.
    package var hasSubscriptions = true
    /// The answer with a subscription leaves out its `notificationInfo`.
    package var forgetsNotificationInfo = false
    /// Every user may change public records, not only their creator.
    package var everybodyWrites = false
    package var webTokens = WebTokens.fixed
    /// The maximum number of records on a page.
    package var page = 200
    /// The maximum number of operations in a request.
    package var operations = 200

    /// Makes the behaviour that the documents suggest.
    package init() {}

    package var description: String {
        let flags = [
            ("EXISTS", saysExists), ("whole requests fail", failsWhole), ("empty pages", sendsEmptyPages),
            ("missing lists", leavesOutLists), ("strict keys", refusesUnknownKeys), ("shuffled", shufflesResults),
            ("no old deletions", !tellsOldDeletions), ("no subscriptions", !hasSubscriptions),
            ("bare subscriptions", forgetsNotificationInfo),
            ("public data is everybody's", everybodyWrites),
        ]
        return flags.filter(\.1).map(\.0).joined(separator: ", ") + "; tokens \(webTokens.rawValue), page \(page)"
    }
}
