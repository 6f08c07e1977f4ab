import BackstitchSupport
import HTTPTypes
import Hummingbird

extension Request {
    /// The request without headers whose values are not ASCII. The server reads no header with such a value (RFC 9110
    /// §5.5). ASCII text can be compared and split byte by byte.
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
