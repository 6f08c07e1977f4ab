/// Body of `tokens/create` (without a token), of its answer (with both) and of `tokens/register` (with a token).
public struct PushToken: Sendable, Hashable {
    /// "development" or "production".
    public var apnsEnvironment: String
    /// Names the device to the server; it is also the queue of its notifications.
    public var apnsToken: String?
    /// Where to wait for notifications.
    public var webcourierURL: String?
    /// A name that the client gives itself.
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

extension PushToken: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("apnsEnvironment")
        writer.string(apnsEnvironment)
        writer.optionalString("apnsToken", apnsToken)
        writer.optionalString("webcourierURL", webcourierURL)
        writer.optionalString("clientId", clientId)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> PushToken {
        var token = PushToken()
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "apnsEnvironment": token.apnsEnvironment = try reader.readStringOrNull() ?? "production"
            case "apnsToken": token.apnsToken = try reader.readStringOrNull()
            case "webcourierURL": token.webcourierURL = try reader.readStringOrNull()
            case "clientId": token.clientId = try reader.readStringOrNull()
            default: try reader.skip()
            }
        }
        return token
    }
}

/// A body without keys: the question of endpoints that ask nothing, the answer of those that have nothing to say.
public struct EmptyBody: Sendable, Hashable, WireCodable {
    /// An empty body.
    public init() {}

    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> EmptyBody {
        try reader.enterObject()
        while try reader.nextKey() != nil { try reader.skip() }
        return EmptyBody()
    }
}
