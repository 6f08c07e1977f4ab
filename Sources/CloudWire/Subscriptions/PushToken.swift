/// Body of `tokens/create` (without a token), and of its answer (with token and address). Also the body of
/// `tokens/register` (with a token), and of `tokens/unregister` (with a client).
package struct PushToken: Sendable, Hashable {
    /// The environment: `development` or `production`.
    package var apnsEnvironment: String
    /// Identifies the device for the server. It is also the queue of its notifications.
    package var apnsToken: String?
    /// The address to wait for notifications.
    package var webcourierURL: String?
    /// The client's name for itself, or for several of its push tokens. They are ended by this name.
    package var clientId: String?

    package init(
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
