import CloudWire

extension ZoneServerConfiguration {
    /// Addresses that only this machine can reach. Names other than `localhost` may resolve to anything.
    static func isLoopback(host: String) -> Bool {
        host == "localhost" || host == "::1" || host.isLoopbackIPv4
    }

    /// Checks settings that would make no sense or would be a hole.
    func validate() throws(ZoneServerError) {
        if isDevelopment, !Self.isLoopback(host: host) {
            throw ZoneServerError(
                .insecureConfiguration,
                """
                no API token and no user is configured, so everybody could read and write; give apiTokens and users, \
                or listen on 127.0.0.1 instead of '\(host)' for development
                """)
        }
        guard (0...65535).contains(port) else {
            throw ZoneServerError(.invalidConfiguration, "port \(port) is not between 0 and 65535")
        }
        for user in users where !RecordRules.isValidUser(user.userRecordName) {
            throw ZoneServerError(
                .invalidConfiguration,
                "userRecordName '\(user.userRecordName)' must be 1 to 255 bytes without control characters")
        }
        let names = users.map(\.userRecordName)
        let tokens = Set(users.map(\.token))
        guard tokens.count == users.count else {
            throw ZoneServerError(
                .invalidConfiguration, "two of the users \(names) have the same web auth token; give each its own")
        }
        for (name, limits) in [("standardLimits", standardLimits), ("extendedLimits", extendedLimits)] {
            let smallest = min(limits.operations, limits.bytes, limits.page, limits.record, limits.asset)
            guard smallest > 0 else {
                throw ZoneServerError(.invalidConfiguration, "\(name) must be positive, but are \(limits.headerValue)")
            }
        }
        let durations = [
            ("idleTimeout", idleTimeout), ("bodyTimeout", bodyTimeout), ("uploadTimeout", uploadTimeout),
            ("shutdownGrace", shutdownGrace),
            ("idempotencyRetention", idempotencyRetention), ("tombstoneRetention", tombstoneRetention),
            ("uploadRetention", uploadRetention),
            ("downloadLifetime", downloadLifetime),
        ]
        for (name, seconds) in durations where seconds <= 0 {
            throw ZoneServerError(.invalidConfiguration, "\(name) must be at least one second, but is \(seconds)")
        }
    }
}

extension String {
    /// True for an IPv4 address in 127.0.0.0/8, written with four numbers.
    fileprivate var isLoopbackIPv4: Bool {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts[0] == "127"
    }
}
