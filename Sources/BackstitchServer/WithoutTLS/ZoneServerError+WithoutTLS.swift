#if !TLS
extension ZoneServerError {
    /// The error about a missing part of this build, with the remedy.
    ///
    /// - Parameter subject: The thing that needs TLS or public keys, with its article.
    init(withoutTLS subject: String) {
        self.init(
            .invalidConfiguration,
            """
            \(subject) needs TLS, and this server was built without it; build with the trait TLS of the package \
            backstitch: .package(url: …, traits: ["Server", "TLS"])
            """)
    }
}

extension ZoneServerConfiguration {
    /// Refuses settings that this build cannot serve.
    ///
    /// - Throws: ``ZoneServerError`` for a setting that needs TLS. Keys of APNs and of servers are refused when they
    ///   are made.
    func checkBuild() throws(ZoneServerError) {
        if transportSecurity != nil { throw ZoneServerError(withoutTLS: "transportSecurity, to serve by https,") }
        if !signInProviders.isEmpty { throw ZoneServerError(withoutTLS: "sign-in by signInProviders") }
        if case .s3 = assets { throw ZoneServerError(withoutTLS: "a store of assets that speaks S3") }
    }
}
#else
extension ZoneServerConfiguration {
    /// Accepts every configuration, since this build has all parts.
    func checkBuild() {}
}
#endif
