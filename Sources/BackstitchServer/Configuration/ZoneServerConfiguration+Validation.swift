import BackstitchSupport
import CloudWire

extension ZoneServerConfiguration {
    /// Refuses settings without a meaning, and insecure ones.
    func validate() throws(ZoneServerError) {
        try checkNetwork()
        try checkBuild()
        try checkAssets()
        try validateOperation()
        try checkSignIn()
        if let fault = apns?.fault { throw ZoneServerError(.invalidConfiguration, fault) }
        try Self.check(apiTokens: apiTokens, users: users, serverKeys: serverKeys)
        try Self.refuseWeak((administration?.tokens ?? []).map { ("the administration", $0) })
        if containers == nil, !isDevelopment, !usesAccounts {
            throw ZoneServerError(
                .invalidConfiguration,
                """
                every caller with a token could store under any container's name; name the containers to serve, as in \
                containers = .declared(["iCloud.org.example.app"]) (--container), or allow all with .any \
                (--any-container)
                """)
        }
        if let fault = containers?.fault { throw ZoneServerError(.invalidConfiguration, fault) }
        for (name, limits) in [("standardLimits", standardLimits), ("extendedLimits", extendedLimits)] {
            let smallest = min(
                limits.operations, limits.bytes, limits.page, limits.record, limits.asset, limits.answer)
            guard smallest > 0 else {
                throw ZoneServerError(.invalidConfiguration, "\(name) must be positive, but are \(limits.headerValue)")
            }
        }
        if let fault = userQuotas.fault { throw ZoneServerError(.invalidConfiguration, fault) }
        for (name, count) in [("bytesAtOnce", bytesAtOnce), ("connectionsPerAddress", connectionsPerAddress)]
        where count <= 0 {
            throw ZoneServerError(.invalidConfiguration, "\(name) must be at least 1, but is \(count)")
        }
        let durations = [
            ("headTimeout", headTimeout), ("idleTimeout", idleTimeout), ("bodyTimeout", bodyTimeout),
            ("uploadTimeout", uploadTimeout),
            ("failedAttemptsPerMinute", failedAttemptsPerMinute),
            ("shutdownGrace", shutdownGrace),
            ("idempotencyRetention", idempotencyRetention), ("tombstoneRetention", tombstoneRetention),
            ("uploadRetention", uploadRetention),
            ("downloadLifetime", downloadLifetime),
        ]
        for (name, seconds) in durations where !(1...Self.longest).contains(seconds) {
            throw ZoneServerError(
                .invalidConfiguration, "\(name) must be 1 to \(Self.longest), but is \(seconds)")
        }
    }

    /// Refuses addresses at which strangers could read or change data.
    private func checkNetwork() throws(ZoneServerError) {
        if isDevelopment, !host.isLoopbackHost {
            throw ZoneServerError(
                .insecureConfiguration,
                """
                no API token and no user is configured, so every caller could read and write; give apiTokens and \
                users, take those of the storage (usesAccounts, --accounts), or listen on 127.0.0.1 instead of \
                '\(host)' for development
                """)
        }
        if !host.isLoopbackHost, transportSecurity == nil, !allowsInsecureHTTP {
            throw ZoneServerError(
                .insecureConfiguration,
                """
                tokens and records would cross the network unencrypted at '\(host)'; give a certificate (transportSecurity, \
                --tls-certificate and --tls-key), listen on 127.0.0.1, or say allowsInsecureHTTP (--insecure-http)
                """)
        }
        if !host.isLoopbackHost, transportSecurity != nil, publicURL == nil {
            throw ZoneServerError(
                .invalidConfiguration,
                "give publicURL (--public-url), the name that the certificate is for: addresses of assets are made of it"
            )
        }
        guard (0...65535).contains(port) else {
            throw ZoneServerError(.invalidConfiguration, "port \(port) is not between 0 and 65535")
        }
    }

    /// A hundred years: practically for ever, and still countable in nanoseconds.
    private static let longest = 36_525 * 86_400

    private func checkAssets() throws(ZoneServerError) {
        guard case .s3(let bucket) = assets else {
            guard case .database(_, nil) = storage else { return }
            throw ZoneServerError(
                .invalidConfiguration,
                "a database keeps only records; name a folder for the assets' content that all its servers see, "
                    + "or a store of objects (--assets)"
            )
        }
        if let fault = bucket.fault { throw ZoneServerError(.invalidConfiguration, fault) }
        if storage == .memory {
            throw ZoneServerError(
                .invalidConfiguration,
                "records in memory are gone when the server ends, and their assets would stay in \(bucket.place); give a folder for the records (--storage)"
            )
        }
    }

    private func validateOperation() throws(ZoneServerError) {
        if let administration, !(0...65535).contains(administration.port) {
            throw ZoneServerError(
                .invalidConfiguration, "the administration's port \(administration.port) is not between 0 and 65535")
        }
        if let administration, administration.port == port, port != 0 {
            throw ZoneServerError(
                .invalidConfiguration,
                "port \(port) is the zone server's own; give the administration another one (--admin-port)")
        }
        guard (0...3_600).contains(drainDelay) else {
            throw ZoneServerError(.invalidConfiguration, "drainDelay must be 0 to 3600 seconds, but is \(drainDelay)")
        }
        guard (0.01...3_600).contains(peerInterval) else {
            throw ZoneServerError(
                .invalidConfiguration,
                "peerInterval must be 0.01 to 3600 seconds, but is \(peerInterval)")
        }
        if !readReplicas.isEmpty {
            guard case .database = storage else {
                throw ZoneServerError(
                    .invalidConfiguration, "only a database that servers share has read replicas (--read-replica)")
            }
        }
        for origin in allowedOrigins where WebOrigin(origin) == nil {
            throw ZoneServerError(
                .invalidConfiguration,
                "'\(origin.prefix(200))' is not an origin; give scheme and host, as in https://app.example, "
                    + "without a path")
        }
    }

    /// Checks the tokens and keys of programs and users.
    static func check(
        apiTokens: [TokenDigest], users: [User], serverKeys: [ServerKey]
    ) throws(ZoneServerError) {
        try check(serverKeys)
        try checkAddresses(of: users)
        for user in users where !RecordRules.isValidUser(user.userRecordName) {
            throw ZoneServerError(
                .invalidConfiguration,
                "userRecordName '\(user.userRecordName)' must be 1 to 255 bytes without control characters")
        }
        let names = users.map(\.userRecordName)
        guard Set(users.map(\.token)).count == users.count else {
            throw ZoneServerError(
                .invalidConfiguration, "two of the users \(names) have the same web auth token; give each its own")
        }
        let tokens = users.map { ("the user '\($0.userRecordName)'", $0.token) } + apiTokens.map { ("the program", $0) }
        try refuseWeak(tokens)
    }

    /// Refuses tokens that could be guessed or are printed in documents.
    static func refuseWeak(_ tokens: [(owner: String, token: TokenDigest)]) throws(ZoneServerError) {
        for (owner, token) in tokens {
            guard let weakness = token.weakness else { continue }
            throw ZoneServerError(.insecureConfiguration, "a token of \(owner) is refused: \(weakness.text)")
        }
    }
}
