import CloudWire
import Foundation

/// The claims of an ID token in use here (OpenID Connect Core 1.0 §2, §5.1).
struct IDTokenClaims: Sendable, Decodable {
    let issuer: String
    let subject: String
    let audiences: [String]
    /// The client that asked for the token.
    let authorizedParty: String?
    /// Seconds since 1970. The next two times have the same unit.
    let expires: Double
    let issuedAt: Double
    let notBefore: Double?
    let nonce: String?
    /// The user's address, if the provider says it has verified the address.
    let emailAddress: String?
    let nameComponents: UserNameComponents

    private enum Key: String, CodingKey {
        case iss, sub, aud, azp, exp, iat, nbf, nonce, email, name, nickname
        case isVerified = "email_verified", given = "given_name", middle = "middle_name", family = "family_name"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: Key.self)
        issuer = try claims.decode(String.self, forKey: .iss)
        subject = try claims.decode(String.self, forKey: .sub)
        if let one = try? claims.decode(String.self, forKey: .aud) {
            audiences = [one]
        } else {
            audiences = try claims.decode([String].self, forKey: .aud)
        }
        authorizedParty = try claims.decodeIfPresent(String.self, forKey: .azp)
        expires = try claims.decode(Double.self, forKey: .exp)
        issuedAt = try claims.decode(Double.self, forKey: .iat)
        notBefore = try claims.decodeIfPresent(Double.self, forKey: .nbf)
        nonce = try claims.decodeIfPresent(String.self, forKey: .nonce)
        // Some providers write a string here. Only a clear yes counts. A malformed address or name refuses no user.
        let isVerified =
            (try? claims.decode(Bool.self, forKey: .isVerified))
            ?? ((try? claims.decode(String.self, forKey: .isVerified)) == "true")
        let address = (try? claims.decode(String.self, forKey: .email)).flatMap { Self.plain($0, 254) }
        emailAddress = isVerified ? address : nil
        func name(_ key: Key) -> String? {
            (try? claims.decode(String.self, forKey: key)).flatMap { Self.plain($0, 255) }
        }
        var components = UserNameComponents(givenName: name(.given), familyName: name(.family))
        components.middleName = name(.middle)
        components.nickname = name(.nickname)
        // Some providers give only the whole name. Its first word is not always the given name, so all of it is the
        // nickname.
        if components == UserNameComponents() { components.nickname = name(.name) }
        nameComponents = components
    }

    /// A text about a person, if it may be shown to others unchanged.
    private static func plain(_ text: String, _ limit: Int) -> String? {
        // It has neither control characters nor characters that change the direction of others.
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                && !scalar.properties.isBidiControl
        }
        return isPlain && (1...limit).contains(text.utf8.count) ? text : nil
    }

    /// Most seconds between the provider's clock and the server's.
    static let leeway = 60.0
    /// Seconds until a token is too old, even if it claims a longer life.
    static let longestLife = 86_400.0

    /// Checks everything that does not need the signature.
    ///
    /// - Parameters:
    ///   - provider: The provider named by the claim `iss`.
    ///   - nonce: The value given by the program, if it gives one.
    ///   - now: Milliseconds since 1970.
    func check(for provider: SignInProvider, nonce: String?, at now: Int64) throws(IDTokenFault) {
        guard RecordRules.isValidUser(subject) else {
            throw IDTokenFault("has a sub that is not of 1 to 255 bytes, or has control characters")
        }
        let own = audiences.filter(provider.clientIDs.contains)
        guard !own.isEmpty else {
            throw IDTokenFault("is for another program: none of its aud is a client ID of this server")
        }
        if let authorizedParty {
            guard provider.clientIDs.contains(authorizedParty) else {
                throw IDTokenFault("was made for another program: its azp is not a client ID of this server")
            }
        } else if own.count < audiences.count {
            throw IDTokenFault("is for several programs, and does not say by azp which of them asked for it")
        }
        let now = Double(now) / 1_000
        guard expires.isFinite, issuedAt.isFinite, notBefore?.isFinite ?? true else {
            throw IDTokenFault("has times that are not valid")
        }
        guard now < expires + Self.leeway else { throw IDTokenFault("has expired; sign in again") }
        guard issuedAt <= now + Self.leeway else {
            throw IDTokenFault("was made in the future (iat); is a clock wrong?")
        }
        guard now - issuedAt <= Self.longestLife else { throw IDTokenFault("is older than a day; sign in again") }
        if let notBefore, notBefore > now + Self.leeway { throw IDTokenFault("is not valid yet (nbf)") }
        guard let nonce else { return }
        guard let own = self.nonce, constantTimeEquals(Array(own.utf8), Array(nonce.utf8)) else {
            throw IDTokenFault("has another nonce than the request")
        }
    }

    /// The latest end of the token's acceptance, in milliseconds since 1970.
    var end: Int64 { Int64((min(expires, issuedAt + Self.longestLife) + 2 * Self.leeway) * 1_000) }
}
