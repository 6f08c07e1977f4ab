import BackstitchSupport
import HTTPTypes
import Hummingbird

extension Request {
    /// The request without headers whose values are no ASCII. No header that the server reads may have such a value
    /// (RFC 9110 §5.5), and texts of ASCII are compared and taken apart byte by byte.
    var withHeadersOfASCII: Request {
        guard headers.contains(where: { !$0.isASCII }) else { return self }
        var head = head
        head.headerFields = HTTPFields(headers.filter(\.isASCII))
        return Request(head: head, body: body)
    }
}

extension HTTPField {
    fileprivate var isASCII: Bool { withUnsafeBytesOfValue { $0.allSatisfy { $0 < 0x80 } } }
}
