import BackstitchSupport
import Foundation

extension ZoneServerConfiguration {
    /// Checks the sign-in providers, and the lifetime of tokens from a sign-in.
    func checkSignIn() throws(ZoneServerError) {
        guard !signInProviders.isEmpty else { return }
        for provider in signInProviders {
            if let fault = provider.fault { throw ZoneServerError(.invalidConfiguration, fault) }
        }
        let issuers = signInProviders.map(\.issuer)
        guard Set(issuers).count == issuers.count else {
            throw ZoneServerError(
                .invalidConfiguration,
                "two of the sign-in providers \(issuers) are the same; put their client IDs together")
        }
        guard (60...366 * 86_400).contains(signInLifetime) else {
            throw ZoneServerError(
                .invalidConfiguration,
                "signInLifetime must be 60 to \(366 * 86_400) seconds, but is \(signInLifetime)")
        }
    }
}

extension SignInProvider {
    /// The reason why no server can use this provider; nil if one can.
    var fault: String? {
        let place = "the sign-in provider '\(issuer.prefix(200))'"
        guard let address = ProviderAddress(issuer), !issuer.contains(where: { "?#".contains($0) }) else {
            return "\(place) needs the address of its issuer, with https (http on this machine) and without a query"
        }
        guard address.isAllowed(by: address) else {
            return "\(place) is on another machine, so its address begins with https://"
        }
        guard !clientIDs.isEmpty, clientIDs.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
            return "\(place) needs the client IDs, of 1 to 255 bytes, of the programs whose tokens are accepted"
        }
        return algorithms.isEmpty ? "\(place) needs an algorithm that it signs with" : nil
    }
}
