import Foundation
import NIOCore
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension ZoneServerError {
    /// The reason why an address cannot be listened on, or no longer, with a remedy; nil for any other error.
    ///
    /// - Parameter option: The command's option for the port.
    init?(listeningOn host: String, _ port: Int, option: String, failed error: any Error) {
        if error is SocketAddressError {
            self.init(.addressUnavailable, "\(host) is not an address; give --host one of this machine's", cause: error)
            return
        }
        if (error as? ServiceGroupError)?.errorCode == .serviceFinishedUnexpectedly {
            self.init(noLongerListeningOn: host, port, cause: error)
            return
        }
        guard let failure = error as? IOError else { return nil }
        switch failure.errnoCode {
        case EADDRINUSE:
            self.init(
                .addressUnavailable,
                "port \(port) of \(host) is in use, by another server perhaps; end that, or choose another port (\(option); 0 takes a free one)",
                cause: error)
        case EADDRNOTAVAIL:
            self.init(
                .addressUnavailable,
                "\(host) is not an address of this machine; give --host one that is, or 0.0.0.0 for all",
                cause: error)
        case EACCES, EPERM:
            self.init(
                .addressUnavailable,
                "the system does not let this program listen on port \(port); choose one above 1023 (\(option)), or give the program the right",
                cause: error)
        default: return nil
        }
    }

    /// The error of a running server whose socket was closed by the system.
    init(noLongerListeningOn host: String, _ port: Int, cause: (any Error)? = nil) {
        self.init(
            .addressUnavailable,
            "the system has closed the server's listening socket (\(host), port \(port)); start it again. "
                + "Acknowledged changes are stored",
            cause: cause)
    }
}
