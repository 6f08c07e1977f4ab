import ArgumentParser
import BackstitchServer
import Foundation

/// The options of `serve` for pushes to apps that are not running.
struct APNsOptions: ParsableArguments {
    @Option(
        name: .customLong("apns-key"),
        help: ArgumentHelp(
            "The key for the Apple Push Notification service: the .p8 file that Apple gives.",
            discussion:
                "Apps that called tokens/register are then woken when one of their subscriptions fires."),
        completion: .file())
    var key: String?

    @Option(name: .customLong("apns-key-id"), help: "The name of that key, ten letters and digits.")
    var keyID: String?

    @Option(name: .customLong("apns-team-id"), help: "The name of the team of developers, ten letters and digits.")
    var teamID: String?

    @Option(
        name: .customLong("apns-topic"),
        help: ArgumentHelp(
            "The app's bundle ID; CONTAINER=TOPIC for the app of one container. Repeat it for several.",
            valueName: "topic"))
    var topics: [String] = []

    @Option(
        name: .customLong("apns-endpoint"),
        help: "An address to use instead of Apple's for production and development, such as a test server or a gateway."
    )
    var endpoint: String?

    @Option(
        name: .customLong("apns-trust-roots"),
        help: "The authorities that may sign the certificate of that address, as PEM.", completion: .file())
    var trustRoots: String?

    func validate() throws {
        guard key == nil else {
            guard keyID != nil, teamID != nil, !topics.isEmpty else {
                throw ValidationError("--apns-key needs --apns-key-id, --apns-team-id and --apns-topic")
            }
            return
        }
        guard keyID == nil, teamID == nil, topics.isEmpty, endpoint == nil, trustRoots == nil else {
            throw ValidationError("the other --apns-… options are for a key; give --apns-key FILE too")
        }
    }

    /// Sets the key, the topics and the addresses of Apple's push service.
    ///
    /// - Throws: `ValidationError` for a key file that cannot be read, and for an invalid address.
    func apply(to configuration: inout ZoneServerConfiguration) throws {
        guard let key, let keyID, let teamID else { return }
        let pem: String
        do { pem = try String(contentsOf: URL(filePath: key), encoding: .utf8) } catch {
            throw ValidationError("the key for APNs \(key) cannot be read: \(error)")
        }
        var apns = APNsConfiguration(key: try .init(pem: pem, keyID: keyID, teamID: teamID))
        for text in topics {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { apns.topics[parts[0]] = parts[1] } else { apns.topic = text }
        }
        if let endpoint {
            guard let url = URL(string: endpoint), url.host != nil else {
                throw ValidationError("--apns-endpoint takes an absolute URL, not \"\(endpoint)\"")
            }
            apns.endpoint = url
            apns.developmentEndpoint = url
        }
        apns.trustRoots = trustRoots.map { URL(filePath: $0) }
        configuration.apns = apns
    }
}
