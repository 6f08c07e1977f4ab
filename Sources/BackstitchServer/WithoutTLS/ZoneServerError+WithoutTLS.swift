#if !TLS
extension ZoneServerError {
    /// Says that this build lacks something, and how to build it.
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
    /// This build has all that a configuration can ask for.
    func checkBuild() {}
}
#endif
