import Backstitch
import CloudWire
import Foundation

/// The address of a share: `https://example.org/share/GUID#Title`. Only the path identifies the share.
struct ShareAddress {
    let guid: String

    init(_ guid: String) { self.guid = guid }

    /// Reads the path of a URL.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an address of another form.
    init(_ url: URL) throws {
        let parts = url.pathComponents.suffix(2)
        guard parts.count == 2, parts.first == "share", let guid = parts.last, !guid.isEmpty else {
            throw BackstitchError(
                .invalidRequest,
                "\(url.absoluteString) is not the address of a share; such an address ends with /share/ and a "
                    + "name, as in Share.url"
            )
        }
        self.guid = guid
    }

    func url(on server: URL, title: String?) -> URL {
        let url = server.appending(path: "share").appending(path: guid)
        guard let title, var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        components.fragment = title
        return components.url ?? url
    }
}
