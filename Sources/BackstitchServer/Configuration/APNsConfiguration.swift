public import Foundation

#if TLS
import JWTKit
#endif

/// The connection to the Apple Push Notification service, for apps that are not running.
///
/// ```swift
/// let key = try String(contentsOf: URL(filePath: "AuthKey_ABC123DEFG.p8"), encoding: .utf8)
/// configuration.apns = APNsConfiguration(
///     key: try .init(pem: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ"), topic: "org.example.notes")
/// ```
public struct APNsConfiguration: Sendable, Hashable {
    /// A provider's key for pushes: the proof of its identity. No description shows the secret.
    public struct Key: Sendable, Hashable {
        /// The ID of the key, ten characters.
        public let keyID: String
        /// The ID of the team of developers, ten characters.
        public let teamID: String
        let pem: String

        /// Creates a key from Apple's file.
        ///
        /// - Parameter pem: The private P-256 key: the text of the `.p8` file from Apple.
        /// - Throws: ``ZoneServerError`` for text without such a key, and for IDs of another form.
        public init(pem: String, keyID: String, teamID: String) throws(ZoneServerError) {
            try Self.check(pem)
            for (name, text) in [("key ID", keyID), ("team ID", teamID)] {
                guard text.utf8.count == 10, text.utf8.allSatisfy(Self.isPart) else {
                    throw ZoneServerError(
                        .invalidConfiguration,
                        "the \(name) for APNs is ten letters and digits, not '\(text.prefix(40))'")
                }
            }
            self.pem = pem
            self.keyID = keyID
            self.teamID = teamID
        }

        private static func check(_ pem: String) throws(ZoneServerError) {
            #if TLS
            do { _ = try ES256PrivateKey(pem: pem) } catch {
                throw ZoneServerError(
                    .invalidConfiguration,
                    "the key for APNs is not a private key of the curve P-256; give the .p8 file as Apple has given it")
            }
            #else
            throw ZoneServerError(withoutTLS: "a key for APNs")
            #endif
        }

        private static func isPart(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        }
    }

    /// The key for the signatures of the server's requests.
    public var key: Key
    /// The app's bundle ID, for containers without an entry in ``topics``; nil if those have no app.
    public var topic: String?
    /// The bundle IDs of the apps of some containers, by container name.
    public var topics: [String: String]
    /// The address of APNs for devices with tokens for `production`.
    public var endpoint = URL(string: "https://api.push.apple.com")
    /// The address of APNs for devices with tokens for `development`. An app started by Xcode has such a token.
    public var developmentEndpoint = URL(string: "https://api.sandbox.push.apple.com")
    /// A PEM file with the authorities trusted for the endpoints' certificates; nil for the system's.
    public var trustRoots: URL?

    /// Creates a configuration for pushes to an app, by Apple's service.
    public init(key: Key, topic: String? = nil, topics: [String: String] = [:]) {
        self.key = key
        self.topic = topic
        self.topics = topics
    }

    /// The topic of a container's app; nil when it has none.
    func topic(of container: String) -> String? { topics[container] ?? topic }
}

extension APNsConfiguration.Key: CustomStringConvertible, CustomReflectable {
    /// Shows nothing of the key.
    public var description: String { "a key for APNs" }
    /// Shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension APNsConfiguration {
    /// The reason why no server can push with these settings; nil if one can.
    var fault: String? {
        let topics = topics.values + (topic.map { [$0] } ?? [])
        guard !topics.isEmpty else {
            return "pushes through APNs need an app: give its bundle ID as topic (--apns-topic)"
        }
        for topic in topics
        where !(1...255).contains(topic.utf8.count) || !topic.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            return "'\(topic.prefix(60))' is not a topic for APNs; give the app's bundle ID, such as org.example.notes"
        }
        if let container = self.topics.keys.first(where: { !ServedContainers.isName($0) }) {
            return "a topic for APNs belongs to a container; '\(container.prefix(60))' is not the name of one"
        }
        for endpoint in [endpoint, developmentEndpoint] {
            guard let endpoint, endpoint.scheme == "https", endpoint.host?.isEmpty == false, endpoint.user == nil,
                endpoint.query == nil, ["", "/"].contains(endpoint.path)
            else {
                return "the address of APNs must be an https address without a path, not "
                    + "'\(endpoint?.absoluteString ?? "")'"
            }
        }
        return nil
    }
}
