/// Body of `tokens/create` (without a token), of its answer (with both), of `tokens/register` (with a token) and of
/// `tokens/unregister` (with a client).
public struct PushToken: Sendable, Hashable {
    /// "development" or "production".
    public var apnsEnvironment: String
    /// Names the device to the server; it is also the queue of its notifications.
    public var apnsToken: String?
    /// Where to wait for notifications.
    public var webcourierURL: String?
    /// A name that the client gives itself, or to several of its push tokens: they are ended by it.
    public var clientId: String?

    /// A push token with all its parts.
    public init(
        apnsEnvironment: String = "production", apnsToken: String? = nil, webcourierURL: String? = nil,
        clientId: String? = nil
    ) {
        self.apnsEnvironment = apnsEnvironment
        self.apnsToken = apnsToken
        self.webcourierURL = webcourierURL
        self.clientId = clientId
    }
}

extension PushToken: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("apnsEnvironment", &apnsEnvironment)
        keys.optional("apnsToken", &apnsToken)
        keys.opaque("webcourierURL", &webcourierURL)
        keys.optional("clientId", &clientId)
    }
}
