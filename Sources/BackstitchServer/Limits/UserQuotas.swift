import CloudWire

/// The limits on one user's data and requests, so no user takes from another.
///
/// A user over a quota gets QUOTA_EXCEEDED until something is deleted. A user with too many requests or bytes at a time
/// gets THROTTLED, and the seconds to wait.
public struct UserQuotas: Sendable, Hashable {
    /// Live records made by the user, in all zones of a container's environment.
    public var records = 5_000_000
    /// Bytes of these records, of their tombstones, and of the assets they use.
    public var bytes = 20 << 30
    /// Live zones in a database.
    public var zones = 1_000
    /// Subscriptions in a database.
    public var subscriptions = 200
    /// Push tokens in a container's environment. A further one takes the place of the one unused for longest.
    public var pushTokens = 100
    /// Kept answers to idempotency keys in a container's environment. A further one takes the place of the oldest.
    public var keptAnswers = 1_000
    /// Bytes of these answers.
    public var keptAnswerBytes = 64 << 20
    /// Databases begun by the user, as the first to store anything there. A server with declared containers has few
    /// anyway.
    public var databases = 100
    /// Assets received at the same time.
    public var uploads = 8
    /// Requests being answered or waiting for their turn, without long polls. Few are worked on at the same time. The
    /// others wait in line, since all devices of a user ask at once after a change.
    public var requestsAtOnce = 256
    /// Bytes of requests and answers held in memory at the same time.
    public var bytesAtOnce = 48 << 20
    /// Requests a second, on average over ten seconds.
    public var requestsPerSecond = 200

    /// Creates the usual quotas of one user.
    public init() {}

    /// The quotas by their names on the command line.
    static let names: [(name: String, path: any WritableKeyPath<UserQuotas, Int> & Sendable)] = [
        ("records", \.records), ("bytes", \.bytes), ("zones", \.zones), ("subscriptions", \.subscriptions),
        ("push-tokens", \.pushTokens), ("kept-answers", \.keptAnswers), ("kept-answer-bytes", \.keptAnswerBytes),
        ("databases", \.databases), ("uploads", \.uploads), ("requests-at-once", \.requestsAtOnce),
        ("bytes-at-once", \.bytesAtOnce), ("requests-per-second", \.requestsPerSecond),
    ]

    /// Sets a quota by its name.
    ///
    /// - Parameter setting: Text such as `records=1000`.
    /// - Throws: ``ZoneServerError`` for an unknown name, and for a malformed number or one out of range.
    public mutating func set(_ setting: String) throws(ZoneServerError) {
        let parts = setting.split(separator: "=" as Character, maxSplits: 1).map(String.init)
        guard parts.count == 2, let path = Self.names.first(where: { $0.name == parts[0] })?.path,
            let number = Int(parts[1])
        else {
            throw ZoneServerError(
                .invalidConfiguration,
                "a quota is name=number, not '\(setting)'; the names are \(Self.names.map(\.name).joined(separator: ", "))"
            )
        }
        self[keyPath: path] = number
        if let fault { throw ZoneServerError(.invalidConfiguration, fault) }
    }

    /// The names with their usual numbers, as a help text.
    public static var help: String {
        names.map { "\($0.name)=\(UserQuotas()[keyPath: $0.path])" }.joined(separator: ", ")
    }

    /// The first quota out of range, as a message; nil if all are in range.
    var fault: String? {
        Self.names.first { !(1...Self.most).contains(self[keyPath: $0.path]) }
            .map { "the quota \($0.name) must be 1 to \(Self.most), but is \(self[keyPath: $0.path])" }
    }

    /// Practically no quota, and still small enough for sums.
    private static let most = 1 << 53

    /// QUOTA_EXCEEDED: the quota is used up.
    ///
    /// - Parameter user: The user with that quota, if it may be another than the caller.
    func exceeded(_ what: String, _ limit: Int, of user: String? = nil) -> WireError {
        let holder = user.map { "user '\($0)'" } ?? "a user"
        return WireError(.quotaExceeded, "\(holder) has at most \(limit) \(what); delete some first")
    }
}
