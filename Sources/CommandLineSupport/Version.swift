/// The version of the package, which its commands have too.
package let packageVersion = "0.1.0"
