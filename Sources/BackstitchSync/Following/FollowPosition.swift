import Backstitch
import Foundation

/// How far a store has read its followed queries. It is stored in the place of a zone's change token, and written with
/// each page, in the page's transaction.
///
/// - A new query is read whole, in the order of modification, so that later changes come again.
/// - Afterwards a server of this project reports all changes, including deletions, in one feed for all queries. The
///   feed is opened before anything is read, so no change is missed.
/// - Other servers are asked for each query's modifications since the last time, with an overlap. Now and then they are
///   asked for everything.
/// - When everything is read again, some objects here may not come. They were deleted, or no longer fulfil the
///   predicate. They are deleted here at the very end.
struct FollowPosition: Codable, Hashable {
    /// How far one query was read.
    struct Place: Codable, Hashable {
        /// Whether everything is being read.
        var isReading = true
        /// The server's mark for the next page. `from` is the first modification of the pages before it (nil for
        /// everything): a mark belongs to its query.
        var marker: String?
        var from: Int64?
        /// The name of the reading: afterwards, objects that it did not meet are deleted. Nil if nothing was here
        /// before.
        var pass: Int64?
        /// The latest modification received (the server's milliseconds since 1970).
        var since: Int64 = 0
        /// The times of the last request for everything, and for the subscription (milliseconds since 1970, see
        /// ``SteadyTime``).
        var checked: Int64 = 0
        var subscribed: Int64 = 0
        /// Whether this pull has read the modifications since the last one.
        var isAsked = false
        /// The reason for the server's refusal, and its time.
        var refusal: String?
        var refused: Int64 = 0
    }

    /// The token of the feed; nil without a feed.
    var feed: String?
    /// Whether this pull has read the feed to its end, found that there is none, or had to open it again.
    var isFed = false
    var isFeedless = false
    var isReopened = false
    var places: [String: Place] = [:]
    /// The completed readings, by query: objects they did not meet are to be deleted.
    var unswept: [String: Int64] = [:]

    /// The next step of a pull.
    enum Step {
        /// Ask for the present position of the feed.
        case open
        /// Read a page of everything, or of the recent modifications.
        case read(FollowedQuery)
        /// Read a page of the feed.
        case feed(String)
        /// Delete the objects that did not come.
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

    /// The token of the feed within a position; nil without a feed.
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

    /// Begins a pull of these queries.
    ///
    /// - Returns: The queries followed no more; there may be subscriptions to them.
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
        // No query uses the feed any more: it would only tell the server how little this device has read.
        if !queries.contains(where: isAnswered) { feed = nil }
        return ended
    }

    /// The queries in need of a subscription request. A query refused by the server needs none.
    func unsubscribed(of queries: [FollowedQuery], at now: Int64) -> [FollowedQuery] {
        queries.filter { query in
            let asked = places[query.id]?.subscribed ?? 0
            return isAnswered(query) && !(asked...asked + Self.subscriptionTime).contains(now)
        }
    }

    /// Starts to read everything again.
    mutating func readAgain() {
        feed = nil
        unswept = [:]
        for id in places.keys { places[id]?.readAgain() }
    }

    /// Milliseconds until a refused query is asked again.
    private static let refusalTime: Int64 = 600_000
    /// Milliseconds until everything is read again if there is no feed, to find deletions.
    static let checkTime: Int64 = 86_400_000
    /// Milliseconds of overlap if there is no feed: the commits of a server are not in the order of its clocks.
    static let overlap: Int64 = 60_000
    /// Milliseconds until the next request for a subscription. Another device may have ended it.
    static let subscriptionTime: Int64 = 3_600_000
}

extension FollowPosition.Place {
    mutating func readAgain() { (isReading, marker, pass) = (true, nil, nil) }
}
