import CloudWire

/// How much one user may have and ask for, so that no user takes from another.
///
/// A user whose quota is used up gets QUOTA_EXCEEDED until something is deleted; one who asks for too much at a time
/// gets THROTTLED and the seconds to wait.
public struct UserQuotas: Sendable, Hashable {
    /// Live records that the user has made, in all zones of a container's environment.
    public var records = 5_000_000
    /// Bytes of these records, of the deletions that are told still, and of the assets that they use.
    public var bytes = 20 << 30
    /// Live zones in a database.
    public var zones = 1_000
    /// Subscriptions in a database.
    public var subscriptions = 200
    /// Push tokens in a container's environment. A further one takes the place of the one that was not in use for
    /// longest.
    public var pushTokens = 100
    /// Kept answers to idempotency keys in a container's environment. A further one takes the place of the oldest.
    public var keptAnswers = 1_000
    /// Bytes of these answers.
    public var keptAnswerBytes = 64 << 20
    /// Databases in which the user may be the first to store anything. A server that names its containers has few
    /// anyway.
    public var databases = 100
    /// Assets that are received at the same time.
    public var uploads = 8
    /// Requests that are being answered or wait for their turn, without long polls. Few are worked on at the same time;
    /// the others wait in line, since all devices of a user ask at once when something has changed.
    public var requestsAtOnce = 256
    /// Bytes of requests and answers that are held in memory at the same time.
    public var bytesAtOnce = 48 << 20
    /// Requests a second, on average over ten seconds.
    public var requestsPerSecond = 200

    /// The usual quotas.
    public init() {}

    /// The quotas by the names that the command takes.
    static let names: [(name: String, path: any WritableKeyPath<UserQuotas, Int> & Sendable)] = [
        ("records", \.records), ("bytes", \.bytes), ("zones", \.zones), ("subscriptions", \.subscriptions),
        ("push-tokens", \.pushTokens), ("kept-answers", \.keptAnswers), ("kept-answer-bytes", \.keptAnswerBytes),
        ("databases", \.databases), ("uploads", \.uploads), ("requests-at-once", \.requestsAtOnce),
        ("bytes-at-once", \.bytesAtOnce), ("requests-per-second", \.requestsPerSecond),
    ]

    /// Sets a quota by its name.
    ///
    /// - Parameter setting: Such as `records=1000`.
    /// - Throws: ``ZoneServerError`` for a name that is none, and for a number that is none.
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

    /// The names with their usual numbers, for a person to read.
    public static var help: String {
        names.map { "\($0.name)=\(UserQuotas()[keyPath: $0.path])" }.joined(separator: ", ")
    }

    /// Which quota makes no sense; nil when all do.
    var fault: String? {
        Self.names.first { !(1...Self.most).contains(self[keyPath: $0.path]) }
            .map { "the quota \($0.name) must be 1 to \(Self.most), but is \(self[keyPath: $0.path])" }
    }

    /// As good as no quota, and small enough to be counted with.
    private static let most = 1 << 53

    /// The error about something of which a user has as much as may be.
    ///
    /// - Parameter user: The user of whom that is, where it need not be the caller.
    func exceeded(_ what: String, _ limit: Int, of user: String? = nil) -> WireError {
        let holder = user.map { "user '\($0)'" } ?? "a user"
        return WireError(.quotaExceeded, "\(holder) has at most \(limit) \(what); delete some first")
    }
}
