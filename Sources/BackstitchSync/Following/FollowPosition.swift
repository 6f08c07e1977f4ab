import Backstitch
import Foundation

/// How far a store has read what it follows. It stands where other stores have the change token of their zone, and is
/// written with each page, in the page's transaction.
///
/// A query that is new is read whole, in the order of modification, so that what changes meanwhile comes again later.
/// From then on a server of this project tells of all changes, deletions included, by one feed for all queries; it is
/// opened before anything is read, so that nothing falls between. Another server is asked for each query what was
/// modified since, with an overlap, and now and then for everything. Where everything is read again, objects here that
/// did not come are those that were deleted, or that no longer fulfil the predicate: they go, at the very end.
struct FollowPosition: Codable, Hashable {
    /// How far a query is read.
    struct Place: Codable, Hashable {
        /// Whether everything is being read.
        var isReading = true
        /// The server's mark for the next page, and the modification from which on the pages before it were asked for
        /// (nil for everything): a mark is one of its query.
        var marker: String?
        var from: Int64?
        /// Names the reading after which what did not come goes; nil where nothing was here before.
        var pass: Int64?
        /// The latest modification that has come (the server's milliseconds since 1970).
        var since: Int64 = 0
        /// When everything was last asked for, and when the subscription (milliseconds since 1970).
        var checked: Int64 = 0
        var subscribed: Int64 = 0
        /// Whether this pull has read what was modified since.
        var isAsked = false
        /// Why the server does not answer, and when it has said so.
        var refusal: String?
        var refused: Int64 = 0
    }

    /// The token of the feed; nil without one.
    var feed: String?
    /// Whether this pull has read the feed to its end, found that there is none, or had to open it anew.
    var isFed = false
    var isFeedless = false
    var isReopened = false
    var places: [String: Place] = [:]
    /// The readings that have come to their end, by query: what they did not meet goes.
    var unswept: [String: Int64] = [:]

    /// The next thing to do in a pull.
    enum Step {
        /// Find out where the feed stands now.
        case open
        /// Read a page of everything, or of what was modified since.
        case read(FollowedQuery)
        /// Read a page of the feed.
        case feed(String)
        /// Have those go that did not come.
        case sweep
    }

    init() {}

    init(_ text: String?) throws {
        self = try text.map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) } ?? Self()
    }

    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// The token of the feed within a position; nil without one.
    static func feed(in text: String?) throws -> String? { try FollowPosition(text).feed }

    /// Whether the server answers the query, as far as is known.
    func isAnswered(_ query: FollowedQuery) -> Bool { places[query.id]?.refusal == nil }

    func nextStep(of queries: [FollowedQuery], hasExtensions: Bool) -> Step? {
        let answered = queries.filter(isAnswered)
        guard !answered.isEmpty else { return nil }
        if feed == nil, hasExtensions, !isFeedless { return .open }
        if let query = answered.first(where: { places[$0.id]?.isReading ?? true }) { return .read(query) }
        if let feed {
            if !isFed { return .feed(feed) }
        } else if let query = answered.first(where: { places[$0.id]?.isAsked == false }) {
            return .read(query)
        }
        return unswept.isEmpty ? nil : .sweep
    }

    /// Begins a pull.
    ///
    /// - Returns: The queries that are followed no more, and to which there may be subscriptions.
    mutating func beginPull(of queries: [FollowedQuery], at now: Int64) -> [String] {
        (isFed, isFeedless, isReopened) = (false, false, false)
        let followed = Set(queries.map(\.id))
        let ended = places.keys.filter { !followed.contains($0) }.sorted()
        for id in ended { (places[id], unswept[id]) = (nil, nil) }
        for (id, var place) in places {
            place.isAsked = false
            if !place.isReading { place.marker = nil }
            if place.refusal != nil, !(place.refused...place.refused + Self.refusalTime).contains(now) {
                place.refusal = nil
            }
            if feed == nil, !(place.checked...place.checked + Self.checkTime).contains(now) { place.readAgain() }
            places[id] = place
        }
        // Nobody reads on in it: it would only tell the server of how little this device has read.
        if !queries.contains(where: isAnswered) { feed = nil }
        return ended
    }

    /// The queries to which the server is to be asked for a subscription. One that it refuses needs none.
    func unsubscribed(of queries: [FollowedQuery], at now: Int64) -> [FollowedQuery] {
        queries.filter { query in
            let asked = places[query.id]?.subscribed ?? 0
            return isAnswered(query) && !(asked...asked + Self.subscriptionTime).contains(now)
        }
    }

    /// Everything is read again.
    mutating func readAgain() {
        feed = nil
        unswept = [:]
        for id in places.keys { places[id]?.readAgain() }
    }

    /// Milliseconds after which a query that was refused is asked again.
    private static let refusalTime: Int64 = 600_000
    /// Milliseconds after which everything is asked for again where there is no feed, for what was deleted.
    static let checkTime: Int64 = 86_400_000
    /// Milliseconds by which one asks back where there is no feed: a server's commits are not in the order of its
    /// clocks.
    static let overlap: Int64 = 60_000
    /// Milliseconds after which the server is asked again for a subscription, which another device may have ended.
    static let subscriptionTime: Int64 = 3_600_000
}

extension FollowPosition.Place {
    mutating func readAgain() { (isReading, marker, pass) = (true, nil, nil) }
}
