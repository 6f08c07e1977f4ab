import ArgumentParser
import BackstitchServer
import Foundation

/// The options of `serve` for users who sign in with an OpenID Connect provider.
struct SignInOptions: ParsableArguments {
    @Option(
        name: .customLong("oidc"),
        help: ArgumentHelp(
            "An OpenID Connect provider whose users may sign in, and the program's client IDs; repeat it for several.",
            discussion: """
                ISSUER=CLIENT[,CLIENT]: --oidc https://accounts.example.org=notes-ios,notes-web. Write the issuer \
                exactly as it is in the provider's tokens. Programs send an ID token to POST /auth/oidc and get a \
                user's token.
                """, valueName: "provider"))
    var providers: [String] = []

    @Option(
        name: .customLong("oidc-algorithm"),
        help: ArgumentHelp(
            "An algorithm that the providers sign with, such as RS256; repeat it for several. Without it, all "
                + "safe algorithms.",
            valueName: "name"))
    var algorithms: [String] = []

    @Option(name: .customLong("sign-in-days"), help: "Days that a user's token is valid after sign-in.")
    var days = 14

    @Option(
        name: .customLong("sign-in-url"),
        help: "The address where users sign in. Programs whose token is not valid get it as redirectURL.")
    var url: String?

    func validate() throws {
        guard (1...366).contains(days) else { throw ValidationError("--sign-in-days takes 1 to 366, not \(days)") }
        if providers.isEmpty, !algorithms.isEmpty {
            throw ValidationError("--oidc-algorithm is for a provider; give --oidc ISSUER=CLIENT too")
        }
    }

    /// Sets the providers, their algorithms and the lifetime of tokens.
    ///
    /// - Throws: `ValidationError` for an unknown algorithm, an invalid provider or an invalid address.
    func apply(to configuration: inout ZoneServerConfiguration) throws {
        let algorithms = try algorithms.map { name in
            guard let algorithm = SignInProvider.Algorithm(rawValue: name) else {
                let names = SignInProvider.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--oidc-algorithm takes one of \(names), not \"\(name)\"")
            }
            return algorithm
        }
        configuration.signInProviders = try providers.map { text in
            // An issuer has no query, so it rarely has a "=". A client ID may have one.
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw ValidationError("--oidc takes ISSUER=CLIENT[,CLIENT], not \"\(text)\"")
            }
            var provider = SignInProvider(
                issuer: String(parts[0]), clientIDs: Set(parts[1].split(separator: ",").map(String.init)))
            if !algorithms.isEmpty { provider.algorithms = Set(algorithms) }
            return provider
        }
        configuration.signInLifetime = days * 86_400
        configuration.signInURL = try url.map { text in
            guard let url = URL(string: text), url.scheme != nil, url.host != nil else {
                throw ValidationError("--sign-in-url takes an absolute URL, not \"\(text)\"")
            }
            return url
        }
    }
}
