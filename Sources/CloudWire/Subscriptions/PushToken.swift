/// Body of `tokens/create` (without a token), and of its answer (with token and address). Also the body of
/// `tokens/register` (with a token), and of `tokens/unregister` (with a client).
public struct PushToken: Sendable, Hashable {
    /// The environment: `development` or `production`.
    public var apnsEnvironment: String
    /// Identifies the device for the server. It is also the queue of its notifications.
    public var apnsToken: String?
    /// The address to wait for notifications.
    public var webcourierURL: String?
    /// The client's name for itself, or for several of its push tokens. They are ended by this name.
    public var clientId: String?

    /// Creates a push token from its parts.
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
